// The order of what a search finds: first the entry of the name that was typed, such as
// tf.train.Saver, whose words are on a hundred pages. The numbers are Sphinx's own.
const typed = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();

var Scorer = {
  score: ([, title, , , score]) =>
    title.toLowerCase().split(" > ").pop() === typed ? score + 100 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
