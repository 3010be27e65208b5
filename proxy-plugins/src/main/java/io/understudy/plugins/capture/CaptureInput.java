package io.understudy.plugins.capture;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a file, or a directory of captures, whether compressed, encrypted or neither. */
public final class CaptureInput {
    private static final int MAX_FRAME = 64 << 20;
    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};

    private CaptureInput() {}

    /**
     * Opens a file or the files of a directory, the oldest first.
     *
     * @param secret of encrypted files, or null
     */
    public static InputStream open(Path path, @Nullable CaptureSecret secret) throws IOException {
        if (!Files.isDirectory(path)) {
            return open(Files.newInputStream(path), path.toString(), secret);
        }
        List<Path> files = CaptureFiles.list(path);
        if (files.isEmpty()) {
            throw new IOException(path + " has no files of a capture, such as capture-…-0001.zst");
        }
        return new java.io.SequenceInputStream(Collections.enumeration(files.stream()
                .map(file -> (InputStream) new Lazy(() -> open(Files.newInputStream(file), file.toString(), secret)))
                .toList()));
    }

    /** Opens a stream at the first read: a live stream may have no bytes yet that tell its format. */
    public static InputStream lazy(InputStream in, String name, @Nullable CaptureSecret secret) {
        return new Lazy(() -> open(in, name, secret));
    }

    /** Opens a stream, which may be of any kind: what is neither compressed nor encrypted is passed through. */
    public static InputStream open(InputStream in, String name, @Nullable CaptureSecret secret) throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(in, 1 << 16);
        buffered.mark(CaptureFiles.MAGIC.length);
        // Only as many bytes as tell: a live stream may have no more yet.
        byte[] first = buffered.readNBytes(ZSTD.length);
        if (Arrays.equals(first, ZSTD)) {
            buffered.reset();
            return new WholeFrames(new ZstdInputStreamNoFinalizer(buffered));
        }
        if (!Arrays.equals(first, Arrays.copyOf(CaptureFiles.MAGIC, first.length)) || first.length < ZSTD.length) {
            buffered.reset();
            return buffered;
        }
        byte[] rest = buffered.readNBytes(CaptureFiles.MAGIC.length - ZSTD.length);
        byte[] salt = buffered.readNBytes(FileCipher.SALT);
        if (!Arrays.equals(rest, Arrays.copyOfRange(CaptureFiles.MAGIC, ZSTD.length, CaptureFiles.MAGIC.length))
                || salt.length < FileCipher.SALT) {
            throw new IOException(name + " begins like an encrypted capture of another version");
        }
        if (secret == null) {
            throw new IOException(name + " is encrypted: give --secret-file with the secret it was captured with");
        }
        InputStream decrypted = new DecryptedFrames(new DataInputStream(buffered), new FileCipher(secret, salt), name);
        return new WholeFrames(new ZstdInputStreamNoFinalizer(decrypted));
    }

    /** Opens a stream. */
    private interface Opening {
        InputStream open() throws IOException;
    }

    /** Opens its stream with the first read, so that a directory of many files needs one descriptor. */
    private static final class Lazy extends InputStream {
        private final Opening opening;
        private @Nullable InputStream in;

        Lazy(Opening opening) {
            this.opening = opening;
        }

        private InputStream in() throws IOException {
            InputStream known = in;
            if (known == null) {
                known = opening.open();
                in = known;
            }
            return known;
        }

        @Override
        public int read() throws IOException {
            return in().read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return in().read(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            InputStream known = in;
            if (known != null) {
                known.close();
            }
        }
    }

    /** Ends at the last whole frame of a file whose process ended while it wrote a frame. */
    private static final class WholeFrames extends java.io.FilterInputStream {
        private boolean ended;

        WholeFrames(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (ended) {
                return -1;
            }
            try {
                return super.read(bytes, offset, length);
            } catch (IOException e) {
                String message = String.valueOf(e.getMessage());
                if (!message.contains("Truncated source") && !message.contains("Src size is incorrect")) {
                    throw e;
                }
                ended = true;
                return -1;
            }
        }
    }

    private static final class DecryptedFrames extends InputStream {
        private final DataInputStream in;
        private final FileCipher cipher;
        private final String name;
        private InputStream frame = new ByteArrayInputStream(new byte[0]);
        private boolean ended;

        DecryptedFrames(DataInputStream in, FileCipher cipher, String name) {
            this.in = in;
            this.cipher = cipher;
            this.name = name;
        }

        private boolean next() throws IOException {
            try {
                int length = in.readInt();
                if (length <= 0 || length > MAX_FRAME) {
                    throw new IOException(name + " is damaged: a frame of " + length + " bytes");
                }
                byte[] encrypted = new byte[length];
                in.readFully(encrypted);
                frame = new ByteArrayInputStream(cipher.decrypt(encrypted));
                return true;
            } catch (EOFException e) {
                return false;
            } catch (GeneralSecurityException e) {
                throw new IOException(name + " cannot be decrypted: another secret, or the file was changed", e);
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
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

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
