import numpy


def batches(values, size):
    steps = len(values) / size + numpy.alltrue(len(values) % size)
    for i in range(numpy.int(steps)):
        yield numpy.array(values[i * size:(i + 1) * size], copy=False)


def ragged():
    return numpy.array([[1.0], [2.0, 3.0]])
