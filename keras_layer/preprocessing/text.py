"""Texts as arrays: Tokenizer, one_hot, hashing_trick."""
from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, defaultdict

import numpy as np

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import constructor_keywords, nearest_keyword

__all__ = ['Tokenizer', 'hashing_trick', 'one_hot', 'text_to_word_sequence',
           'tokenizer_from_json']

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(text, filters=_FILTERS, lower=True, split=' '):
    """The words of a text, with the characters `filters` replaced by `split`."""
    if lower:
        text = text.lower()
    text = text.translate(str.maketrans(dict.fromkeys(filters, split)))
    return [word for word in text.split(split) if word]


def one_hot(text, n, filters=_FILTERS, lower=True, split=' '):
    """Each word as a number in [1, n), by Python's hash, which differs from run to run."""
    return hashing_trick(text, n, hash_function=hash, filters=filters, lower=lower, split=split)


def hashing_trick(text, n, hash_function=None, filters=_FILTERS, lower=True, split=' '):
    """Each word as a number in [1, n), by a hash: 'md5', or a function; Python's by default."""
    if hash_function is None:
        hash_function = hash
    elif hash_function == 'md5':
        def hash_function(word):
            return int(hashlib.md5(word.encode()).hexdigest(), 16)
    words = text_to_word_sequence(text, filters=filters, lower=lower, split=split)
    return [hash_function(word) % (n - 1) + 1 for word in words]


class Tokenizer:
    """Turns texts into lists of numbers: 1 for the most frequent word, and so on.

    Only the `num_words - 1` most frequent words are kept; the others become `oov_token`, if there
    is one. `char_level` counts characters instead of words.
    """

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=' ', char_level=False,
                 oov_token=None, document_count=0, **kwargs):
        if 'nb_words' in kwargs:
            num_words = kwargs.pop('nb_words')
        if kwargs:
            known = constructor_keywords(Tokenizer)
            raise misuse(TypeError(f'Unrecognized keyword arguments: {kwargs}'
                                   + nearest_keyword(min(kwargs), known)))
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.document_count = char_level, oov_token, document_count
        self.word_counts = OrderedDict()
        self.word_docs, self.index_docs = defaultdict(int), defaultdict(int)
        self.word_index, self.index_word = {}, {}

    def _words(self, text):
        if self.char_level or isinstance(text, list):
            if self.lower:
                text = [t.lower() for t in text] if isinstance(text, list) else text.lower()
            return list(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts):
        """Counts the words of the texts, and numbers them."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        # A stable sort: words that are equally frequent stay in the order of their appearance.
        ranked = sorted(self.word_counts.items(), key=lambda item: item[1], reverse=True)
        words = [word for word, _ in ranked]
        if self.oov_token is not None:
            words.insert(0, self.oov_token)
        self.word_index = {word: i + 1 for i, word in enumerate(words)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences):
        """Counts the numbers of sequences, for `sequences_to_matrix` with 'tfidf'."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for i in set(sequence):
                self.index_docs[i] += 1

    def texts_to_sequences(self, texts):
        """The numbers of the words of each text."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        """`texts_to_sequences` as a generator."""
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            found = []
            for word in self._words(text):
                i = self.word_index.get(word)
                if i is None or self.num_words and i >= self.num_words:
                    i = unknown
                if i is not None:
                    found.append(i)
            yield found

    def sequences_to_texts(self, sequences):
        """The words of each sequence of numbers, as a text."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences):
        """`sequences_to_texts` as a generator."""
        unknown = self.word_index.get(self.oov_token)
        for sequence in sequences:
            found = []
            for number in sequence:
                word = self.index_word.get(number)
                if word is None or self.num_words and number >= self.num_words:
                    word = self.index_word[unknown] if unknown is not None else None
                if word is not None:
                    found.append(word)
            yield ' '.join(found)

    def texts_to_matrix(self, texts, mode='binary'):
        """[texts, words]: see `sequences_to_matrix`."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences, mode='binary'):
        """[sequences, words]: whether ('binary'), how often ('count', 'freq') or 'tfidf'."""
        if not self.num_words and not self.word_index:
            raise misuse(ValueError('Specify a dimension (`num_words` argument), or fit on some '
                                    'text data first.'))
        if mode == 'tfidf' and not self.document_count:
            raise misuse(ValueError('Fit the Tokenizer on some data before using tfidf mode.'))
        if mode not in ('binary', 'count', 'freq', 'tfidf'):
            raise misuse(ValueError(f'Unknown vectorization mode: {mode}'))
        size = self.num_words or len(self.word_index) + 1
        matrix = np.zeros((len(sequences), size))
        for row, sequence in zip(matrix, sequences):
            counts = defaultdict(int)
            for i in sequence:
                if i < size:
                    counts[i] += 1
            for i, count in counts.items():
                if mode == 'count':
                    row[i] = count
                elif mode == 'freq':
                    row[i] = count / len(sequence)
                elif mode == 'binary':
                    row[i] = 1
                else:
                    row[i] = (1 + np.log(count)) * np.log(
                        1 + self.document_count / (1 + self.index_docs.get(i, 0)))
        return matrix

    def get_config(self):
        """The settings and counts, as plain values."""
        return {'num_words': self.num_words, 'filters': self.filters, 'lower': self.lower,
                'split': self.split, 'char_level': self.char_level, 'oov_token': self.oov_token,
                'document_count': self.document_count,
                'word_counts': json.dumps(self.word_counts),
                'word_docs': json.dumps(self.word_docs),
                'index_docs': json.dumps(self.index_docs),
                'index_word': json.dumps(self.index_word),
                'word_index': json.dumps(self.word_index)}

    def to_json(self, **kwargs):
        """The settings and counts as JSON; `tokenizer_from_json` reads it."""
        return json.dumps({'class_name': type(self).__name__, 'config': self.get_config()},
                          **kwargs)


def tokenizer_from_json(json_string):
    """The Tokenizer of a JSON text of `to_json`."""
    config = json.loads(json_string)['config']
    read = {name: json.loads(config.pop(name)) for name in (
        'word_counts', 'word_docs', 'index_docs', 'index_word', 'word_index')}
    made = Tokenizer(**config)
    made.word_counts = OrderedDict(read['word_counts'])
    made.word_docs = defaultdict(int, read['word_docs'])
    made.index_docs = defaultdict(int, {int(k): v for k, v in read['index_docs'].items()})
    made.index_word = {int(k): v for k, v in read['index_word'].items()}
    made.word_index = read['word_index']
    return made
