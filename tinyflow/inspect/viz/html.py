"""A self-contained HTML page with a picture, which works offline.

Graphviz does not run in the browser; the page has one SVG for each depth to which name scopes are
open, and shows one of them at a time. Details come from the titles in the SVG.
"""
from __future__ import annotations

from html import escape

_STYLE = """
body { margin: 0; font: 14px Helvetica, Arial, sans-serif; color: #1a1a1a; display: flex;
       flex-direction: column; height: 100vh; }
header { padding: 8px 12px; border-bottom: 1px solid #ccc; display: flex; gap: 8px;
         flex-wrap: wrap; align-items: center; }
header h1 { font-size: 16px; margin: 0 8px 0 0; }
button, input { font: inherit; padding: 3px 8px; }
button[aria-pressed="true"] { background: #0072b2; color: white; border-color: #0072b2; }
main { flex: 1; display: flex; min-height: 0; }
#canvas { flex: 1; overflow: auto; padding: 8px; }
.view[hidden] { display: none; }
#details { width: 26em; overflow: auto; border-left: 1px solid #ccc; padding: 8px 12px;
           white-space: pre-wrap; font: 12px monospace; overflow-wrap: anywhere; }
.node, .edge { cursor: pointer; }
.searching .node:not(.found) { opacity: 0.2; }
.chosen > :is(path, polygon, ellipse) { stroke: #d55e00; stroke-width: 3px; }
@media print { header > :not(h1), #details { display: none; } body { display: block; } }
"""

_SCRIPT = """
const views = [...document.querySelectorAll('.view')];
const buttons = [...document.querySelectorAll('button[data-view]')];
const details = document.getElementById('details');
const search = document.getElementById('search');
const hits = document.getElementById('hits');
const fullSize = views.map(view => parseFloat(view.querySelector('svg').getAttribute('width')));
let zoom = 1;
let current = 0;

function show(index) {
  current = index;
  views.forEach((view, i) => { view.hidden = i !== index; });
  buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === index));
  scale();
  find();
}
function scale() {
  const svg = views[current].querySelector('svg');
  svg.setAttribute('width', fullSize[current] * zoom + 'pt');
  svg.removeAttribute('height');
}
function zoomBy(factor) { zoom = Math.min(8, Math.max(0.1, zoom * factor)); scale(); }
function find() {
  const wanted = search.value.toLowerCase();
  let number = 0;
  views[current].classList.toggle('searching', wanted !== '');
  for (const node of views[current].querySelectorAll('.node')) {
    const title = node.querySelector('title');
    const found = wanted !== '' && title && title.textContent.toLowerCase().includes(wanted);
    node.classList.toggle('found', found);
    number += found;
  }
  hits.textContent = wanted === '' ? '' : number + ' found';
}
function choose(event) {
  const item = event.target.closest('.node, .edge, .cluster');
  document.querySelectorAll('.chosen').forEach(e => e.classList.remove('chosen'));
  const title = item && item.querySelector('title');
  if (!title || !title.textContent) { return; }
  item.classList.add('chosen');
  details.textContent = title.textContent;
}
buttons.forEach((button, i) => button.addEventListener('click', () => show(i)));
document.getElementById('in').addEventListener('click', () => zoomBy(1.25));
document.getElementById('out').addEventListener('click', () => zoomBy(0.8));
document.getElementById('canvas').addEventListener('click', choose);
document.getElementById('canvas').addEventListener('wheel', event => {
  if (event.ctrlKey) { event.preventDefault(); zoomBy(event.deltaY < 0 ? 1.1 : 0.9); }
}, {passive: false});
search.addEventListener('input', find);
show(0);
"""


def page(views: list[tuple[str, str]], title: str) -> str:
    """The page for (caption, SVG) pairs; the first is shown when it opens."""
    buttons = '\n'.join(f'<button data-view="{i}">{escape(caption)}</button>'
                        for i, (caption, _) in enumerate(views))
    pictures = '\n'.join(f'<div class="view"{" hidden" if i else ""}>{svg}</div>'
                         for i, (_, svg) in enumerate(views))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
{buttons}
<button id="out" title="smaller">−</button><button id="in" title="larger">+</button>
<input id="search" type="search" placeholder="find a node: name, type, line">
<span id="hits"></span>
</header>
<main>
<div id="canvas">
{pictures}
</div>
<div id="details">Click on a node, an edge or a box: its details appear here.</div>
</main>
<script>{_SCRIPT}</script>
</body>
</html>
"""
