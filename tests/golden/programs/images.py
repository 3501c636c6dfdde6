"""Images changed by chance, and PNG files there and back."""
from .registry import functional, program, run


@functional
def random_changes(tf, np):
    tf.set_random_seed(5)
    images = tf.constant(np.random.RandomState(0).rand(4, 3, 5, 3), tf.float32)
    made = [tf.image.random_flip_left_right(images[0]), tf.image.random_flip_up_down(images[1], 7),
            tf.image.random_flip_left_right(images, 1), tf.image.random_flip_up_down(images, 2),
            tf.image.random_brightness(images[0], .3, 4),
            tf.image.random_contrast(images, .5, 1.5, 5), tf.image.random_hue(images, .4, 6),
            tf.image.random_saturation(images, .5, 1.5, seed=3)]
    return [run(made)]


@program
def png_there_and_back(tf, np):
    pixels = (np.random.RandomState(0).rand(6, 5, 3) * 255).astype(np.uint8)
    return [run([tf.image.decode_png(tf.image.encode_png(pixels[..., :n])) for n in (1, 3)])]
