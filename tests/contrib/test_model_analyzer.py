"""tf.contrib.slim.model_analyzer: sizes, printed as TensorFlow 1.15.5 prints them."""
import tinyflow as tf


def test_sizes_of_variables_and_operations(graph, capsys):
    tf.get_variable('w', [3, 2])
    assert tf.contrib.slim.model_analyzer.analyze_vars(tf.global_variables(), True) == (6, 24)
    assert capsys.readouterr().out.splitlines()[3:] == [
        'w:0 (float32_ref 3x2) [6, bytes: 24]', 'Total size of variables: 6',
        'Total bytes of variables: 24']
    other = tf.Graph()
    with other.as_default():
        tf.reduce_sum(tf.placeholder(tf.float32, [None, 3]))
    assert tf.contrib.slim.model_analyzer.analyze_ops(other, print_info=True) == 3
    assert capsys.readouterr().out.splitlines()[3:] == [
        'Placeholder \t-> (float32 ?x3) [0]', 'Const \t-> (int32 2) [2]',
        'Sum \t-> (float32 ) [1]']
