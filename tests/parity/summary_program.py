"""A program that writes each kind of event, for whatever reads event files."""
import numpy as np

STEPS = 3


def images():
    """Shapes: [2 images, 4, 5, RGB] of uint8."""
    return (np.arange(120).reshape(2, 4, 5, 3) * 2).astype(np.uint8)


def write(tf, folder):
    """Writes an event file, in the language that tinyflow and TensorFlow share."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.matmul(tf.fill([4, 3], x), tf.ones([3, 2]), name='product')
        tf.summary.scalar('loss', x * 2, family='losses')
        tf.summary.histogram('weights', tf.stack([x, x + 1, -x]))
        tf.summary.image('picture', tf.constant(images()), 2)
        tf.summary.audio('sound', tf.constant(np.linspace(-1, 1, 40).reshape(2, 10, 2), 'float32'),
                         8000, 1)
        tf.summary.text('said', tf.constant(['hello', 'world']))
        merged = tf.summary.merge_all()
        writer = tf.summary.FileWriter(folder, sess.graph, filename_suffix='.test')
        for step in range(STEPS):
            writer.add_summary(sess.run(merged, {x: step}), step)
        metadata = tf.RunMetadata()
        sess.run(w, {x: 1}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                 run_metadata=metadata)
        writer.add_run_metadata(metadata, 'traced', STEPS)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), STEPS)
        writer.close()
