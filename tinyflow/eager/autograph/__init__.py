"""AutoGraph: Python's own control flow on tensors of a graph.

    convert.py      a function -> the function with its statements replaced, same file and lines
    statements.py   the replacement of if, while, for and others by calls (syntax trees)
    jumps.py        the replacement of break, continue and return by flags, before that
    syntax.py       parts of syntax trees
    names.py        which names a block of statements sets
    operators.py    what the replacements do when they run: Python's way, or tf.cond and
                    tf.while_loop where a tensor of a graph decides
"""
