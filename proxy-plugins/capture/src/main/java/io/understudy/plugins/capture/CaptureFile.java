package io.understudy.plugins.capture;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One file, or standard input: finds out whether it is encrypted or compressed, and says how it ends. */
final class CaptureFile extends BlockStream {
    /** A session's first record has its keys within the first bytes of a frame's content, its first block. */
    private static final int HEAD = 2048;

    private static final String TIME = "# Time: ";
    private static final String KEY = "\n# Server_thread: ";
    /** The first line behind the keys. */
    private static final Pattern STATEMENT = Pattern.compile("\n[^#]");

    private static final int BLOCK = 1 << 18;
    private static final int TELLING = 4;
    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};
    private static final byte[] SKIPPABLE = {0x2A, 0x4D, 0x18};
    private static final byte[] GZIP = {0x1F, (byte) 0x8B};

    private final String name;
    private final boolean last;
    private final Consumer<String> notes;
    private final InputStream content;
    private boolean ended;

    private CaptureFile(String name, boolean last, Consumer<String> notes, InputStream content) {
        this.name = name;
        this.last = last;
        this.notes = notes;
        this.content = content;
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
        BufferedInputStream buffered = new BufferedInputStream(in, BLOCK);
        buffered.mark(TELLING);
        // Only as many bytes as tell: a live stream may have no more yet.
        byte[] first = buffered.readNBytes(TELLING);
        buffered.reset();
        if (begins(GZIP, first, GZIP.length)) {
            throw new IOException(name + " is compressed with gzip: pass what zcat makes of it to -");
        }
        boolean encrypted = begins(CaptureFiles.MAGIC, first, TELLING);
        if (!encrypted && !isZstd(first)) {
            return CaptureFiles.isName(name)
                    ? begun(name, first, last, notes)
                    : new CaptureFile(name, last, notes, buffered);
        }
        if (encrypted) {
            return decrypted(buffered, name, secret, last, notes);
        }
        boolean capture = CaptureFiles.isName(name) || isCapture(buffered);
        return new CaptureFile(
                name,
                last,
                notes,
                capture ? new CaptureFrames(buffered, name, null, 0) : new OtherFrames(buffered, name));
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

    /**
     * Returns whether a frame begins with a record of the proxy's: those of TiProxy do not have this key. Reads only as
     * far as tells it, as a live stream may have no more yet.
     */
    private static boolean isCapture(BufferedInputStream in) throws IOException {
        in.mark(BLOCK);
        try (var zstd = new ZstdInputStreamNoFinalizer(new FirstBlock(in)).setContinuous(true)) {
            byte[] head = new byte[HEAD];
            int length = 0;
            String text = "";
            for (int n = 0; n >= 0 && mayBecomeRecord(text) && length < HEAD; length += Math.max(n, 0)) {
                n = zstd.read(head, length, HEAD - length);
                text = new String(head, 0, length + Math.max(n, 0), StandardCharsets.ISO_8859_1);
            }
            return text.startsWith(TIME) && text.contains(KEY);
        } catch (IOException damaged) {
            return false;
        } finally {
            in.reset();
        }
    }

    /** Returns whether the keys of a first record go on behind this text, and may have the proxy's. */
    private static boolean mayBecomeRecord(String text) {
        boolean begins = text.startsWith(TIME) || TIME.startsWith(text);
        return begins && !text.contains(KEY) && !STATEMENT.matcher(text).find();
    }

    /** What may be read of a stream that is to be reset. */
    private static final class FirstBlock extends FilterInputStream {
        private int left = BLOCK;

        FirstBlock(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int n = left == 0 ? -1 : super.read(bytes, offset, Math.min(length, left));
            left -= Math.max(n, 0);
            return n;
        }

        @Override
        public void close() {
            // It is read from its begin again.
        }
    }

    /** A file of a capture was cut off within its first bytes, or is damaged there. */
    private static CaptureFile begun(String name, byte[] first, boolean last, Consumer<String> notes)
            throws IOException {
        byte[] magic = name.endsWith(CaptureFiles.ENCRYPTED) ? CaptureFiles.MAGIC : ZSTD;
        if (first.length == TELLING || !begins(magic, first, first.length)) {
            throw Damage.of(name, 0, "it does not begin like a file of a capture");
        }
        return ended(name, last, notes, first.length == 0 ? "ends at byte 0" : cut(first.length, 0));
    }

    private static CaptureFile ended(String name, boolean last, Consumer<String> notes, String how) throws IOException {
        CaptureFile file = new CaptureFile(name, last, notes, InputStream.nullInputStream());
        file.end(how);
        file.ended = true;
        return file;
    }

    private static CaptureFile decrypted(
            InputStream in, String name, @Nullable CaptureSecret secret, boolean last, Consumer<String> notes)
            throws IOException {
        byte[] magic = in.readNBytes(CaptureFiles.MAGIC.length);
        byte[] salt = in.readNBytes(FileCipher.SALT);
        if (!begins(CaptureFiles.MAGIC, magic, magic.length)) {
            throw new IOException(name + " does not begin like an encrypted capture of this version, at byte 0: take it"
                    + " from another copy, or read it with the version that wrote it");
        }
        long head = (long) magic.length + salt.length;
        if (salt.length < FileCipher.SALT) {
            return ended(name, last, notes, cut(head, 0));
        }
        if (secret == null) {
            throw new IOException(name + " is encrypted: give --secret-file with the secret it was captured with");
        }
        return new CaptureFile(name, last, notes, new CaptureFrames(in, name, new FileCipher(secret, salt), head));
    }

    private static String cut(long bytes, long at) {
        return "is cut off: its last " + bytes + " bytes, from byte " + at + ", are no whole frame";
    }

    /** Reads the first frame ahead, if there are frames of a capture: whether the secret is right shows with it. */
    void begin() throws IOException {
        if (content instanceof CaptureFrames frames) {
            frames.advance();
        }
    }

    /** Returns the place of the frame of a capture that was read last, or -1 if there is none. */
    long frameAt() {
        return content instanceof CaptureFrames frames ? frames.frameAt() : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        int n = content.read(bytes, offset, length);
        if (n < 0) {
            ended = true;
            if (content instanceof OtherFrames other && other.isCut()) {
                end("is cut off: its last frame is not whole at byte " + other.position());
            } else if (content instanceof CaptureFrames frames && frames.cut() > 0) {
                end(cut(frames.cut(), frames.frameAt()));
            } else if (content instanceof CaptureFrames frames && !frames.isComplete()) {
                end("ends at byte " + frames.frameAt() + " without the table of its frames");
            }
        }
        return n;
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
}
