"""keras.preprocessing.image: images as arrays, and data augmentation."""
from keras_layer.preprocessing.image.affine import (
    apply_affine_transform, apply_transform, flip_axis, random_rotation, random_shear,
    random_shift, random_zoom, transform_matrix_offset_center,
)
from keras_layer.preprocessing.image.colors import (
    apply_brightness_shift, apply_channel_shift, random_brightness, random_channel_shift,
)
from keras_layer.preprocessing.image.dataframe_iterator import DataFrameIterator
from keras_layer.preprocessing.image.directory_iterator import DirectoryIterator
from keras_layer.preprocessing.image.generator import ImageDataGenerator
from keras_layer.preprocessing.image.iterator import Iterator, NumpyArrayIterator
from keras_layer.preprocessing.image.image_io import (
    array_to_img, img_to_array, list_pictures, load_img, save_img,
)
from tinyflow.graph.support.missing import explain_missing, hide_modules

__all__ = ['DataFrameIterator', 'DirectoryIterator', 'ImageDataGenerator', 'Iterator',
           'NumpyArrayIterator', 'apply_affine_transform', 'apply_brightness_shift',
           'apply_channel_shift', 'array_to_img', 'img_to_array', 'list_pictures', 'load_img',
           'random_brightness', 'random_channel_shift', 'random_rotation', 'random_shear',
           'random_shift', 'random_zoom', 'save_img']

hide_modules(globals())
__getattr__ = explain_missing('tf.keras.preprocessing.image', __all__)
