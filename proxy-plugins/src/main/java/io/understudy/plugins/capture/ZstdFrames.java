package io.understudy.plugins.capture;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The content of zstd frames. That of a frame with a known size is handed out when the whole frame, with its checksum,
 * is right: no statement of a damaged frame is seen. It finds a frame's end by the sizes of its blocks, so it can tell
 * a file that was cut off from one that is damaged, and where.
 *
 * <p>Source: RFC 8878, section 3.
 */
final class ZstdFrames extends InputStream {
    private static final long MAGIC = 0xFD2FB528L;
    private static final long SKIPPABLE = 0x184D2A50L;
    private static final long SKIPPABLE_MASK = 0xFFFFFFF0L;
    private static final int MAGIC_SIZE = 4;
    private static final int BLOCK_HEADER = 3;
    private static final int MAX_BLOCK = 128 << 10;
    private static final int REPEATED = 1;
    private static final int RESERVED = 3;
    private static final int CHECKSUM = 4;
    /** Larger frames, which no capture has, are handed out while they are read. */
    private static final int MOST_AT_ONCE = 128 << 20;

    /** A session's first record has its keys within that many bytes. */
    private static final int HEAD = 2048;

    private static final int CHUNK = 1 << 16;
    private static final int BYTE = 0xFF;

    private final PlacedInput in;
    private final String name;
    private final FrameBytes frame;
    private final SeekTable sizes = new SeekTable();
    private InputStream content = InputStream.nullInputStream();
    private long frameAt;
    private boolean first = true;
    /** Whether the frames must be as the proxy writes them. */
    private boolean capture;

    private boolean complete;
    private boolean ended;
    private long cut;

    /** @param capture whether the file is known to be one of a capture */
    ZstdFrames(PlacedInput in, String name, boolean capture) {
        this.in = in;
        this.name = name;
        this.capture = capture;
        this.frame = new FrameBytes(in);
    }

    /** Returns where in the file the frame begins whose content was read last. */
    long frameAt() {
        return frameAt;
    }

    /** Returns whether the frames are those of a capture of the proxy; known after the first of them at the latest. */
    boolean isCapture() {
        return capture;
    }

    /** Returns whether the table of the frames was the last thing read. */
    boolean isComplete() {
        return complete;
    }

    /** Returns how many bytes at the end are no whole frame; known at the end. */
    long cut() {
        return cut;
    }

    /** Reads the first frame ahead: whether the secret is right shows with it. */
    void begin() throws IOException {
        ended = !next();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & BYTE;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        while (!ended) {
            int n;
            try {
                n = content.read(bytes, offset, length);
            } catch (EOFException e) {
                cut = in.position() - frameAt;
                ended = true;
                return -1;
            } catch (com.github.luben.zstd.ZstdIOException e) {
                throw damaged(String.valueOf(e.getMessage()));
            }
            if (n > 0 || length == 0) {
                return n;
            }
            content.close();
            ended = !next();
        }
        return -1;
    }

    private IOException damaged(String what) {
        return Damage.of(name, frameAt, what);
    }

    /** Reads the next frame, or as much of it as tells its size. Returns false at the end. */
    private boolean next() throws IOException {
        content = InputStream.nullInputStream();
        try {
            if (read(frame)) {
                return true;
            }
            cut = in.cut();
        } catch (EOFException e) {
            if (goesOn()) {
                throw damaged("a size in it is wrong: more frames follow where it should be");
            }
            cut = frame.length();
        }
        return false;
    }

    private boolean read(FrameBytes bytes) throws IOException {
        bytes.clear();
        frameAt = in.position();
        if (bytes.first() < 0) {
            return false;
        }
        bytes.take(MAGIC_SIZE - 1);
        long magic = bytes.numberAt(0, MAGIC_SIZE);
        if (magic == MAGIC) {
            complete = false;
            frame(bytes);
        } else if ((magic & SKIPPABLE_MASK) == SKIPPABLE) {
            skippable(bytes, magic);
        } else {
            throw damaged("no frame begins there");
        }
        return true;
    }

    private void frame(FrameBytes bytes) throws IOException {
        int descriptor = (int) bytes.number(1);
        boolean single = (descriptor & 0x20) != 0;
        if ((descriptor & 8) != 0) {
            throw damaged("a reserved bit is set");
        }
        int dictionary = new int[] {0, 1, 2, 4}[descriptor & 3];
        bytes.take((single ? 0 : 1) + dictionary);
        int sizeBytes = new int[] {single ? 1 : 0, 2, 4, 8}[descriptor >>> 6];
        long size = sizeBytes == 0 ? -1 : bytes.number(sizeBytes) + (sizeBytes == 2 ? 256 : 0);
        boolean checksum = (descriptor & 4) != 0;
        if (size < 0 || size > MOST_AT_ONCE) {
            if (capture) {
                throw damaged("the size of its content is none");
            }
            first = false;
            content = new ZstdInputStreamNoFinalizer(new Rest(bytes, checksum));
        } else {
            whole(bytes, (int) size, checksum);
        }
    }

    private void whole(FrameBytes bytes, int size, boolean checksum) throws IOException {
        long most = 2 * Zstd.compressBound(size) + MAX_BLOCK;
        long blocks = 0;
        for (boolean last = false; !last; blocks++) {
            int header = (int) bytes.number(BLOCK_HEADER);
            bytes.take(blockBytes(header));
            if (bytes.length() > most) {
                throw damaged("it does not end where it should");
            }
            last = (header & 1) != 0;
        }
        if (checksum) {
            bytes.take(CHECKSUM);
        }
        if (size > blocks * MAX_BLOCK) {
            throw damaged("its content has another size");
        }
        byte[] plain = new byte[size];
        try {
            long n = Zstd.decompressByteArray(plain, 0, size, bytes.array(), 0, bytes.length());
            if (Zstd.isError(n)) {
                throw damaged(Zstd.getErrorName(n).toLowerCase(Locale.ROOT));
            }
            if (n != size) {
                throw damaged("its content has another size");
            }
        } catch (ZstdException e) {
            throw damaged(String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT));
        }
        if (first) {
            capture |= isCapture(plain);
            first = false;
        }
        if (capture && !checksum) {
            throw damaged("it has no checksum");
        }
        sizes.add(bytes.length(), size);
        content = new ByteArrayInputStream(plain);
    }

    private int blockBytes(int header) throws IOException {
        int type = header >>> 1 & 3;
        int length = header >>> 3;
        if (type == RESERVED || length > MAX_BLOCK) {
            throw damaged("a block's size is none");
        }
        return type == REPEATED ? 1 : length;
    }

    /** Returns whether a frame begins with a record of the proxy's: those of TiProxy do not have this key. */
    private static boolean isCapture(byte[] plain) {
        String head = new String(plain, 0, Math.min(plain.length, HEAD), StandardCharsets.ISO_8859_1);
        return head.startsWith("# Time: ") && head.contains("\n# Server_thread: ");
    }

    private void skippable(FrameBytes bytes, long magic) throws IOException {
        long length = bytes.number(Integer.BYTES);
        boolean table = magic == SeekTable.MAGIC && length < MOST_AT_ONCE;
        if (capture && !table) {
            throw damaged("it is not the table of the frames");
        }
        if (!table) {
            byte[] chunk = new byte[CHUNK];
            for (long left = length; left > 0; left -= Math.min(left, CHUNK)) {
                in.readFully(chunk, 0, (int) Math.min(left, CHUNK));
            }
            return;
        }
        int from = bytes.length();
        for (int left = (int) length; left > 0; left -= Math.min(left, CHUNK)) {
            bytes.take(Math.min(left, CHUNK));
        }
        boolean right = sizes.isOf(bytes.array(), from, (int) length);
        if (capture && !right) {
            throw damaged("the table there does not list the frames before it: some are missing, or it is damaged");
        }
        complete = right;
        sizes.clear();
        first = true;
    }

    /**
     * Returns whether what seems to be a frame's first part has a whole frame in it, or the file's table at its end: a
     * file that was cut off has neither.
     */
    private boolean goesOn() {
        byte[] bytes = frame.array();
        for (int at = 1; at + MAGIC_SIZE < frame.length(); at++) {
            long magic = frame.numberAt(at, MAGIC_SIZE);
            if ((magic == MAGIC || magic == SeekTable.MAGIC) && isWhole(bytes, at, frame.length() - at)) {
                return true;
            }
        }
        return false;
    }

    private boolean isWhole(byte[] bytes, int from, int length) {
        CountedInput rest = new CountedInput(new ByteArrayInputStream(bytes, from, length));
        try (ZstdFrames inside = new ZstdFrames(rest, name, capture)) {
            return inside.read(inside.frame);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        content.close();
        in.close();
    }

    /** The bytes of a frame that is handed out while it is read, to its end. */
    private final class Rest extends InputStream {
        private final boolean checksum;
        private final byte[] header;
        private int headerAt;
        private int left;
        private boolean last;
        private boolean over;

        Rest(FrameBytes begun, boolean checksum) {
            this.checksum = checksum;
            header = java.util.Arrays.copyOf(begun.array(), begun.length());
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & BYTE;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (headerAt < header.length) {
                int n = Math.min(length, header.length - headerAt);
                System.arraycopy(header, headerAt, bytes, offset, n);
                headerAt += n;
                return n;
            }
            if (left == 0 && !over) {
                return block(bytes, offset, length);
            }
            if (left == 0) {
                return -1;
            }
            int n = in.read(bytes, offset, Math.min(length, left));
            if (n < 0) {
                throw new EOFException();
            }
            left -= n;
            return n;
        }

        /** Begins a block, with its header, or the checksum behind the last one. */
        private int block(byte[] bytes, int offset, int length) throws IOException {
            if (last) {
                over = true;
                left = checksum ? CHECKSUM : 0;
                return read(bytes, offset, length);
            }
            if (length < BLOCK_HEADER) {
                throw new IOException("a reader of so few bytes");
            }
            in.readFully(bytes, offset, BLOCK_HEADER);
            int number = bytes[offset] & BYTE
                    | (bytes[offset + 1] & BYTE) << Byte.SIZE
                    | (bytes[offset + 2] & BYTE) << 2 * Byte.SIZE;
            left = blockBytes(number);
            last = (number & 1) != 0;
            return BLOCK_HEADER;
        }
    }
}
