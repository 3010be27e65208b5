package io.understudy.plugins.capture;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The content of zstd frames. That of a frame with a known size is handed out when the whole frame, with its checksum,
 * is right: no statement of a damaged frame is seen. Tells a file that was cut off from one that is damaged, and where.
 *
 * <p>Source: RFC 8878, section 3.1.
 */
final class ZstdFrames extends InputStream {
    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE = 0x184D2A50;
    private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
    /** The magic number and the descriptor. */
    private static final int TELLING = Integer.BYTES + 1;

    private static final int SKIPPABLE_HEADER = 2 * Integer.BYTES;
    private static final int SIZE_FLAGS = 0xE0;
    private static final int CHECKSUM_FLAG = 4;
    /** Larger frames, which no capture has, are handed out while they are read. */
    private static final int MOST_AT_ONCE = 128 << 20;

    /** A session's first record has its keys within that many bytes. */
    private static final int HEAD = 2048;

    private static final int CHUNK = 1 << 17;
    private static final int BYTE = 0xFF;

    private final PlacedInput in;
    private final String name;
    private final byte[] chunk = new byte[CHUNK];
    private final ByteBuffer source =
            ByteBuffer.allocateDirect(CHUNK).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    private final ByteBuffer target = ByteBuffer.allocateDirect(CHUNK).limit(0);
    private final SeekTable sizes = new SeekTable();
    /** The present frame as it is in the file; not of one that is handed out while it is read. */
    private final ByteArrayOutputStream frame = new ByteArrayOutputStream();

    private @Nullable ZstdDecompressCtx zstd;
    private ByteBuffer content = ByteBuffer.allocate(0);
    /** Whether more follows of a frame that is handed out while it is read. */
    private boolean goesOn;

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
        advance();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & BYTE;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        while (!content.hasRemaining() && !ended) {
            advance();
        }
        int n = Math.min(length, content.remaining());
        content.get(bytes, offset, n);
        return n == 0 && length > 0 ? -1 : n;
    }

    private IOException damaged(String what) {
        return Damage.of(name, frameAt, what);
    }

    /** Reads the next frame, or the next part of one, or finds the end. */
    private void advance() throws IOException {
        try {
            if (goesOn) {
                goesOn = !decompress();
                content = target;
            } else {
                ended = !next();
            }
        } catch (EOFException e) {
            if (isFollowed()) {
                throw damaged("a size in it is wrong: more frames follow where it should be");
            }
            ended = true;
        }
        cut = ended ? in.cut() + in.position() - frameAt : 0;
    }

    private boolean next() throws IOException {
        frame.reset();
        frameAt = in.position() - source.remaining();
        if (!fill(TELLING)) {
            return false;
        }
        int magic = source.getInt(source.position());
        if (magic == MAGIC) {
            complete = false;
            frame(source.get(source.position() + Integer.BYTES));
        } else if ((magic & SKIPPABLE_MASK) == SKIPPABLE) {
            skippable(magic);
        } else {
            throw damaged("no frame begins there");
        }
        return true;
    }

    /** Reads ahead until there are that many bytes. Returns false if the file ends before them. */
    private boolean fill(int count) throws IOException {
        source.compact();
        for (int n = 0; n >= 0 && source.position() < count; ) {
            n = in.read(chunk, 0, source.remaining());
            source.put(chunk, 0, Math.max(n, 0));
        }
        source.flip();
        return source.remaining() >= count;
    }

    private void frame(int descriptor) throws IOException {
        boolean checksum = (descriptor & CHECKSUM_FLAG) != 0;
        if ((descriptor & SIZE_FLAGS) == 0) {
            if (capture) {
                throw damaged("the size of its content is none");
            }
            first = false;
            goesOn = true;
            return;
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        boolean last = false;
        while (!last && whole.size() <= MOST_AT_ONCE) {
            last = decompress();
            target.get(chunk, 0, target.limit());
            whole.write(chunk, 0, target.limit());
        }
        byte[] plain = whole.toByteArray();
        capture |= first && isCapture(plain);
        first = false;
        if (capture && !(last && checksum)) {
            throw damaged(last ? "it has no checksum" : "it does not end where it should");
        }
        sizes.add(frame.size(), plain.length);
        goesOn = !last;
        content = ByteBuffer.wrap(plain);
    }

    /** Decompresses as much as is there and fits into the target. Returns whether the frame ends with it. */
    private boolean decompress() throws IOException {
        // A full target leaves content behind that needs no more input.
        boolean drained = target.limit() < target.capacity();
        if (!source.hasRemaining() && drained && !fill(1)) {
            throw new EOFException();
        }
        ZstdDecompressCtx context = zstd == null ? new ZstdDecompressCtx() : zstd;
        zstd = context;
        target.clear();
        int from = source.position();
        boolean last;
        try {
            last = context.decompressDirectByteBufferStream(target, source);
        } catch (ZstdException e) {
            // The library's own message is that of no error: it names the code without its sign.
            throw damaged(Zstd.getErrorName(-e.getErrorCode()).toLowerCase(Locale.ROOT));
        }
        target.flip();
        if (!goesOn) {
            append(from, source.position() - from);
        }
        return last;
    }

    private void append(int from, int length) {
        source.get(from, chunk, 0, length);
        frame.write(chunk, 0, length);
    }

    /** Returns whether a frame begins with a record of the proxy's: those of TiProxy do not have this key. */
    private static boolean isCapture(byte[] plain) {
        String head = new String(plain, 0, Math.min(plain.length, HEAD), StandardCharsets.ISO_8859_1);
        return head.startsWith("# Time: ") && head.contains("\n# Server_thread: ");
    }

    private void skippable(int magic) throws IOException {
        if (!fill(SKIPPABLE_HEADER)) {
            throw new EOFException();
        }
        long length = Integer.toUnsignedLong(source.getInt(source.position() + Integer.BYTES));
        boolean table = magic == SeekTable.MAGIC && length < MOST_AT_ONCE;
        if (capture && !table) {
            throw damaged("it is not the table of the frames");
        }
        source.position(source.position() + SKIPPABLE_HEADER);
        for (long left = length; left > 0; ) {
            if (!source.hasRemaining() && !fill(1)) {
                throw new EOFException();
            }
            int n = (int) Math.min(left, source.remaining());
            if (table) {
                append(source.position(), n);
            }
            source.position(source.position() + n);
            left -= n;
        }
        if (!table) {
            return;
        }
        boolean right = sizes.isOf(frame.toByteArray());
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
    private boolean isFollowed() {
        byte[] bytes = frame.toByteArray();
        ByteBuffer numbers = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 1; at + SKIPPABLE_HEADER <= bytes.length; at++) {
            int magic = numbers.getInt(at);
            boolean table = magic == SeekTable.MAGIC
                    && numbers.getInt(at + Integer.BYTES) == bytes.length - at - SKIPPABLE_HEADER;
            if (table || magic == MAGIC && isWhole(bytes, at)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWhole(byte[] bytes, int at) {
        try {
            long size = Zstd.getFrameContentSize(bytes, at, bytes.length - at);
            return size >= 0 && size <= MOST_AT_ONCE && Zstd.decompressFrame(bytes, at).length == size;
        } catch (ZstdException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        if (zstd != null) {
            zstd.close();
        }
        in.close();
    }
}
