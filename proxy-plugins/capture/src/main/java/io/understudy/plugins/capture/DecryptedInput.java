package io.understudy.plugins.capture;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;

/** Decrypts the frames of a file: each has its length, the length's complement, and the encrypted bytes. */
final class DecryptedInput extends PlacedInput {
    /** The length and its complement, by which a damaged length does not pass for a file that was cut off. */
    static final int HEADER = 2 * Integer.BYTES;

    private static final int MAX_FRAME = 128 << 20;

    private final InputStream in;
    private final FileCipher cipher;
    private final String name;
    private InputStream frame = new ByteArrayInputStream(new byte[0]);
    private long position;
    /** The place of the frame that is being read. */
    private long frameAt;

    private boolean decrypted;
    private boolean ended;
    private long cut;

    /** @param position of the first frame */
    DecryptedInput(InputStream in, FileCipher cipher, String name, long position) {
        this.in = in;
        this.cipher = cipher;
        this.name = name;
        this.position = position;
    }

    @Override
    long position() {
        try {
            return frame.available() > 0 ? frameAt : position;
        } catch (IOException e) {
            throw new IllegalStateException("an array has bytes or not", e);
        }
    }

    @Override
    long cut() {
        return cut;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        while (!ended) {
            int n = frame.read(bytes, offset, length);
            if (n > 0 || length == 0) {
                return n;
            }
            ended = !next();
        }
        return -1;
    }

    private boolean next() throws IOException {
        frameAt = position;
        byte[] header = in.readNBytes(HEADER);
        if (header.length < HEADER) {
            cut = header.length;
            return false;
        }
        ByteBuffer numbers = ByteBuffer.wrap(header);
        int size = numbers.getInt();
        if (numbers.getInt() != ~size || size <= 0 || size > MAX_FRAME) {
            throw Damage.of(name, frameAt, "its length is none");
        }
        byte[] encrypted = in.readNBytes(size);
        if (encrypted.length < size) {
            cut = (long) HEADER + encrypted.length;
            return false;
        }
        try {
            frame = new ByteArrayInputStream(cipher.decrypt(encrypted));
        } catch (GeneralSecurityException e) {
            throw decrypted
                    ? Damage.of(name, frameAt, "it was changed, or a frame before it is missing")
                    : new IOException(
                            name + " cannot be decrypted, at byte " + frameAt
                                    + ": it was captured with another secret, or was changed",
                            e);
        }
        decrypted = true;
        position += HEADER + size;
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
