package io.understudy.plugins.capture;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One file, or standard input: finds out whether it is encrypted or compressed, and says how it ends. */
final class CaptureFile extends InputStream {
    private static final int BUFFER = 1 << 16;
    private static final int TELLING = 4;
    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};
    private static final byte[] SKIPPABLE = {0x2A, 0x4D, 0x18};
    private static final byte[] GZIP = {0x1F, (byte) 0x8B};
    private static final int BYTE = 0xFF;

    private final String name;
    private final boolean last;
    private final Consumer<String> notes;
    private final InputStream content;
    /** Null if the file is not compressed. */
    private final @Nullable ZstdFrames frames;

    private boolean ended;

    private CaptureFile(
            String name, boolean last, Consumer<String> notes, InputStream content, @Nullable ZstdFrames frames) {
        this.name = name;
        this.last = last;
        this.notes = notes;
        this.content = content;
        this.frames = frames;
    }

    /**
     * Opens a stream, which may be of any kind: what is neither compressed nor encrypted is passed through, unless its
     * name says that it is.
     *
     * @param last of its capture, the only one that may end anywhere
     */
    static CaptureFile open(
            InputStream in, String name, @Nullable CaptureSecret secret, boolean last, Consumer<String> notes)
            throws IOException {
        BufferedInputStream buffered = new BufferedInputStream(in, BUFFER);
        buffered.mark(TELLING);
        // Only as many bytes as tell: a live stream may have no more yet.
        byte[] first = buffered.readNBytes(TELLING);
        buffered.reset();
        if (isZstd(first)) {
            ZstdFrames frames = new ZstdFrames(new CountedInput(buffered), name, CaptureFiles.isName(name));
            return new CaptureFile(name, last, notes, frames, frames);
        }
        if (begins(CaptureFiles.MAGIC, first, TELLING)) {
            ZstdFrames frames = new ZstdFrames(decrypted(buffered, name, secret), name, true);
            return new CaptureFile(name, last, notes, frames, frames);
        }
        if (begins(GZIP, first, GZIP.length)) {
            throw new IOException(name + " is compressed with gzip: pass what zcat makes of it to -");
        }
        if (CaptureFiles.isName(name)) {
            return begun(buffered, name, first, last, notes);
        }
        return new CaptureFile(name, last, notes, buffered, null);
    }

    private static boolean isZstd(byte[] first) {
        boolean skippable = first.length == TELLING
                && (first[0] & 0xF0) == 0x50
                && Arrays.equals(Arrays.copyOfRange(first, 1, TELLING), SKIPPABLE);
        return skippable || begins(ZSTD, first, TELLING);
    }

    private static boolean begins(byte[] magic, byte[] first, int count) {
        return first.length >= count && Arrays.equals(first, 0, count, magic, 0, count);
    }

    /** A file of a capture was cut off within its first bytes, or is damaged there. */
    private static CaptureFile begun(InputStream in, String name, byte[] first, boolean last, Consumer<String> notes)
            throws IOException {
        byte[] magic = name.endsWith(CaptureFiles.ENCRYPTED) ? CaptureFiles.MAGIC : ZSTD;
        if (first.length == TELLING || !begins(magic, first, first.length)) {
            throw Damage.of(name, 0, "it does not begin like a file of a capture");
        }
        ZstdFrames none = new ZstdFrames(new CountedInput(in), name, true);
        CaptureFile file = new CaptureFile(name, last, notes, none, none);
        file.end(first.length == 0 ? "ends at byte 0" : cut(first.length, 0));
        file.ended = true;
        return file;
    }

    private static PlacedInput decrypted(InputStream in, String name, @Nullable CaptureSecret secret)
            throws IOException {
        byte[] magic = in.readNBytes(CaptureFiles.MAGIC.length);
        byte[] salt = in.readNBytes(FileCipher.SALT);
        if (!begins(CaptureFiles.MAGIC, magic, magic.length)) {
            throw new IOException(name + " does not begin like an encrypted capture of this version, at byte 0: take it"
                    + " from another copy, or read it with the version that wrote it");
        }
        if (salt.length < FileCipher.SALT) {
            return new CutInput(magic.length + salt.length);
        }
        if (secret == null) {
            throw new IOException(name + " is encrypted: give --secret-file with the secret it was captured with");
        }
        return new DecryptedInput(in, new FileCipher(secret, salt), name, magic.length + salt.length);
    }

    private static String cut(long bytes, long at) {
        return "is cut off: its last " + bytes + " bytes, from byte " + at + ", are no whole frame";
    }

    /** Reads the first frame ahead, if there are frames. */
    void begin() throws IOException {
        if (frames != null && !ended) {
            frames.begin();
        }
    }

    /** Returns whether the file has frames: where they begin is then its position. */
    boolean isFramed() {
        return frames != null;
    }

    /** Returns the place of the frame that was read last. */
    long frameAt() {
        return frames == null ? 0 : frames.frameAt();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & BYTE;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        int n = content.read(bytes, offset, length);
        if (n < 0) {
            ended = true;
            ended(frames);
        }
        return n;
    }

    private void ended(@Nullable ZstdFrames read) throws IOException {
        if (read == null) {
            return;
        }
        if (read.cut() > 0) {
            end(cut(read.cut(), read.frameAt()));
        } else if (!read.isComplete() && read.isCapture()) {
            end("ends at byte " + read.frameAt() + " without the table of its frames");
        }
    }

    /** Reports how the file ends, which is an error unless the capture ended with it. */
    private void end(String how) throws IOException {
        if (!last) {
            throw Damage.cut(name, how);
        }
        notes.accept(name + " " + how + ": it is being written, its proxy was killed, or its end is missing. What it"
                + " has before that is read");
    }

    @Override
    public void close() throws IOException {
        content.close();
    }

    /** An encrypted file that ends before its first frame. */
    private static final class CutInput extends PlacedInput {
        private final long cut;

        CutInput(long cut) {
            this.cut = cut;
        }

        @Override
        long position() {
            return 0;
        }

        @Override
        long cut() {
            return cut;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            return -1;
        }
    }
}
