"""tf.contrib.learn.preprocessing: texts as rows of word ids."""
from __future__ import annotations

import json
import re

import numpy as np

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.filesystem import GFile
from tinyflow.graph.support.missing import explain_missing as _explain_missing

TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator):
    """The words of each text."""
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class CategoricalVocabulary:
    """Maps words to ids, with 0 for unknown words; new words get ids until it is frozen."""

    def __init__(self, unknown_token='<UNK>', support_reverse=True):
        self._unknown_token = unknown_token
        self._mapping = {unknown_token: 0}
        self._reverse_mapping = [unknown_token]
        self._freq: dict[str, int] = {}
        self._support_reverse = support_reverse
        self._freeze = False

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """New words are unknown from now on."""
        self._freeze = freeze

    def get(self, category):
        """The id of a word."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1):
        """Increments the count of a word."""
        if self.get(category) or category == self._unknown_token:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency, max_frequency=-1):
        """Keeps the words that occurred more than `min_frequency` times, in order of frequency."""
        ordered = sorted(sorted(self._freq.items(), key=lambda p: str(p[0])),
                         key=lambda p: p[1], reverse=True)
        kept = [(word, count) for word, count in ordered
                if count > min_frequency and (max_frequency <= 0 or count < max_frequency)]
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        for word, _ in kept:
            self._mapping[word] = len(self._mapping)
            self._reverse_mapping.append(word)
        self._freq = dict(kept)

    def reverse(self, class_id):
        """The word of an id."""
        if not self._support_reverse:
            raise misuse(ValueError('This vocabulary wasn\'t initialized with support_reverse to '
                                    'support reverse() function.'))
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Converts texts to rows of `max_document_length` word ids, padded with zeros."""

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words of the texts."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        """Learns the words of the texts and returns their rows."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        """One row [max_document_length] of int64 for each text, one after the other."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            numbers = [self.vocabulary_.get(t) for t in tokens[:self.max_document_length]]
            row[:len(numbers)] = numbers
            yield row

    def reverse(self, documents):
        """The words of each row, with spaces between."""
        for row in documents:
            yield ' '.join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename):
        """Writes the vocabulary to a file (as JSON; TF1 pickled it)."""
        with GFile(filename, 'w') as file:
            file.write(json.dumps({'max_document_length': self.max_document_length,
                                   'min_frequency': self.min_frequency,
                                   'words': self.vocabulary_._reverse_mapping}))

    @classmethod
    def restore(cls, filename):
        """Reads a file written by `save`."""
        try:
            with GFile(filename) as file:
                kept = json.loads(file.read())
            processor = cls(kept['max_document_length'], kept['min_frequency'])
            words = kept['words']
        except (ValueError, KeyError, TypeError) as error:
            raise misuse(ValueError(f'{filename} is not a vocabulary that VocabularyProcessor.save '
                                    f'wrote: {error}')) from None
        vocabulary = processor.vocabulary_ = CategoricalVocabulary(words[0])
        for word in words:
            vocabulary.get(word)
        vocabulary.freeze()
        return processor


__all__ = ['CategoricalVocabulary', 'TOKENIZER_RE', 'VocabularyProcessor', 'tokenizer']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
