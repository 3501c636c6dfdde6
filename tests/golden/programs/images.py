"""Images changed by chance, and PNG files there and back."""
from ..image_files import BMP, GIF, JPEG, PNG
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


@functional
def files_of_every_kind(tf, np):
    made = []
    for contents in (BMP, GIF, JPEG, PNG):
        for dtype in (tf.uint8, tf.float32):
            made.append(tf.image.decode_image(contents, 3, dtype))
    made.append(tf.image.decode_image(GIF, expand_animations=False))
    return [run(made)]


@functional
def turns(tf, np):
    k = tf.placeholder(tf.int32, [])
    image = tf.constant(np.arange(24).reshape(2, 4, 3), tf.float32)
    batch = tf.constant(np.arange(48).reshape(2, 2, 4, 3), tf.float32)
    made = [tf.image.rot90(image, k), tf.image.rot90(batch, k), tf.image.rot90(image)]
    return [run(made, {k: i}) for i in (0, 1, 2, 3, 6)]


@functional
def sizes_known_when_run(tf, np):
    image = tf.placeholder(tf.float32, [None, None, 3])
    size = tf.placeholder(tf.int32, [])
    made = [tf.image.central_crop(image, .4), tf.image.resize_image_with_pad(image, 6, 6),
            tf.image.resize_image_with_crop_or_pad(image, size, 4),
            tf.image.crop_to_bounding_box(image, 1, 1, 2, 2),
            tf.image.pad_to_bounding_box(image, 1, 2, 9, size + 9)]
    pixels = np.arange(5 * 7 * 3).reshape(5, 7, 3).astype(np.float32)
    return [run(made, {image: pixels, size: 3}), run(made, {image: pixels, size: 8})]


@program
def boxes_by_chance(tf, np):
    tf.set_random_seed(4)
    boxes = [[[.1, .2, .5, .9], [.3, .3, .8, .7]]]
    made = [tf.image.sample_distorted_bounding_box([40, 50, 3], boxes, seed=2),
            tf.image.sample_distorted_bounding_box(
                [23, 31, 3], boxes, 3, 5, .3, [.5, 2.], [.1, .9], 50),
            tf.image.sample_distorted_bounding_box(
                [23, 31, 3], np.zeros([1, 0, 4], np.float32), 3, 7,
                use_image_if_no_bounding_boxes=True),
            tf.image.sample_distorted_bounding_box([9, 9, 3], boxes, 1, 1, 1., max_attempts=2)]
    return [run(made), run(made), run(made)]


@functional
def likeness_at_scales(tf, np):
    first = tf.constant(np.random.RandomState(0).rand(2, 45, 46, 1), tf.float32)
    return [run(tf.image.ssim_multiscale(first, first * .9, 1., (.5, .3, .2)))]


@functional
def through_jpeg(tf, np):
    grey = tf.constant(np.full([8, 8, 3], 128, np.uint8))
    tf.set_random_seed(2)
    made = [tf.image.adjust_jpeg_quality(grey, 90), tf.image.random_jpeg_quality(grey, 60, 95, 4),
            tf.image.decode_jpeg(tf.image.encode_jpeg(grey))]
    return [run(made)]
