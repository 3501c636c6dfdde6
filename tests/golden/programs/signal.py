"""Fourier and cosine transforms, windows, frames, spectrograms: tf.signal and tf.spectral."""
from .registry import program, run


@program
def transforms_of_complex_numbers(tf, np):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7 / np.float32(16)
    z = tf.complex(tf.constant(x), tf.constant(x[:, ::-1]))
    results = [tf.fft(z), tf.ifft(z), tf.signal.fft2d(z), tf.signal.ifft2d(z),
               tf.spectral.fft3d(z), tf.spectral.ifft3d(z, name='back')]
    moved = [tf.signal.fftshift(x), tf.signal.ifftshift(x, axes=[1]), tf.signal.fftshift(x, -1)]
    slopes = [tf.gradients(tf.real(y) * tf.imag(y), z)[0] for y in results]
    return [run(results + moved), run(slopes)]


@program
def transforms_of_real_numbers(tf, np):
    x = tf.constant(np.arange(30, dtype=np.float32).reshape(5, 6) % 7 / np.float32(16))
    z = tf.complex(x, tf.reverse(x, [0]))
    results = [tf.signal.rfft(x), tf.signal.rfft(x, [4]), tf.signal.rfft(x, [9]),
               tf.signal.rfft2d(x), tf.signal.rfft2d(x, fft_length=[3, 8])]
    back = [tf.signal.irfft(z), tf.signal.irfft(z, [7]), tf.signal.irfft2d(z),
            tf.spectral.irfft2d(z, [4, 5])]
    solid = tf.reshape(x, [1, 5, 3, 2])
    cubes = [tf.spectral.rfft3d(solid), tf.spectral.irfft3d(tf.complex(solid, solid))]
    # TF has no gradient of a cut rfft, and that of irfft2d lacks frequencies.
    slopes = ([tf.gradients(tf.real(y) * tf.imag(y), x)[0]
               for y in (results[0], results[2], results[3])]
              + [tf.gradients(y * y, z)[0] for y in back[:1]])
    return [run(results + back + cubes), run(slopes)]


@program
def cosine_transforms(tf, np):
    x = tf.constant(np.arange(20, dtype=np.float32).reshape(2, 10) % 7 / np.float32(64))
    results = []
    for kind in 1, 2, 3:
        results += [tf.signal.dct(x, kind), tf.spectral.idct(x, kind)]
    results += [tf.signal.dct(x, norm='ortho', n=12), tf.signal.idct(x, norm='ortho'),
                tf.signal.dct(x, n=6)]
    return [run(results), run([tf.gradients(y * y, x)[0] for y in results[2:]])]


@program
def frames_and_windows(tf, np):
    x = tf.constant(np.arange(40, dtype=np.float32).reshape(2, 20) % 7 / np.float32(16))
    some = tf.placeholder(tf.float32, [None, None], name='some')
    results = [tf.signal.frame(x, 5, 3), tf.signal.frame(x, 5, 3, pad_end=True, pad_value=-1),
               tf.signal.frame(x, 2, 1, axis=0), tf.contrib.signal.frame(some, 6, 2),
               tf.signal.overlap_and_add(tf.reshape(x, [2, 4, 5]), 3),
               tf.signal.overlap_and_add(tf.reshape(x, [2, 4, 5]), 5),
               tf.signal.hann_window(9), tf.signal.hann_window(8, periodic=False),
               tf.signal.hamming_window(8), tf.signal.hann_window(1)]
    slopes = [tf.gradients(y * y, x)[0] for y in results[:2] + results[4:5]]
    return [run(results, {some: np.arange(20).reshape(2, 10)}), run(slopes)]


@program
def spectrograms(tf, np):
    x = tf.constant(np.arange(80, dtype=np.float32).reshape(2, 40) ** 2 % 11 / np.float32(16))
    stfts = tf.signal.stft(x, frame_length=8, frame_step=4, fft_length=16, pad_end=True)
    back = tf.signal.inverse_stft(stfts, 8, 4, 16,
                                  window_fn=tf.signal.inverse_stft_window_fn(4))
    mels = tf.signal.linear_to_mel_weight_matrix(5, 9, 8000, 80.0, 3600.0)
    loudness = tf.math.log(tf.tensordot(tf.abs(stfts), mels, 1) + 1e-6)
    results = [stfts, back, mels, tf.signal.mfccs_from_log_mel_spectrograms(loudness)[..., :3],
               tf.signal.stft(x, 6, 5, window_fn=None)]
    return [run(results), run([tf.gradients(y, x)[0] for y in (tf.abs(stfts), results[3])])]
