"""The tables of docs/from_tensorflow.md: their rows, and what the programs in them give."""
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / 'from_tensorflow.md'


def rows(title):
    """The rows of the first table below a heading, each a list of its cells."""
    section = PAGE.read_text(encoding='utf-8').partition('## %s\n' % title)[2].partition('\n## ')[0]
    lines = [line for line in section.splitlines() if line.startswith('|')][2:]
    return [[cell.strip() for cell in line.strip('|').split(' | ')] for line in lines]


def code(cell):
    """The text between the backquotes of a cell."""
    return re.search('`(.*)`', cell).group(1)


def outcome(program, tf):
    """What a program in one line gives, in words: the value of its last part, or the error."""
    names = {'tf': tf}
    tf.keras.backend.clear_session()
    tf.reset_default_graph()
    try:
        *first, last = re.split(r'; (?=x|tf)', program)
        for part in first:
            exec(part, names)
        return str(eval(last, names))
    except Exception as error:
        return '%s: %s' % (type(error).__name__, error)
    finally:
        tf.keras.backend.clear_session()
        tf.reset_default_graph()
