package io.understudy.plugins.capture;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The content of a capture's frames, encrypted or not. That of a frame is handed out when the whole frame, with its
 * checksum, is right: no statement of a damaged one is seen. Tells a file that was cut off from one that is damaged,
 * and where.
 *
 * <p>Source: RFC 8878, section 3.1.
 */
final class CaptureFrames extends BlockStream {
    /** An encrypted frame begins with its length and the complement, so that a damaged length is no cut. */
    static final int HEADER = 2 * Integer.BYTES;

    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_HEADER = 2 * Integer.BYTES;
    private static final int SIZE_FLAGS = 0xE0;
    private static final int CHECKSUM_FLAG = 4;
    private static final int SHORT = -1;
    private static final int NONE = -2;
    /** More than a frame with the longest record: of 16 MiB, and a prepared text of 1 MiB in quotes. */
    private static final int MOST = 32 << 20;

    private static final int CHUNK = 1 << 17;

    private final InputStream in;
    private final String name;
    private final @Nullable FileCipher cipher;
    private final SeekTable sizes = new SeekTable();
    /** Bytes of a file that is not encrypted, from {@link #position} on. */
    private byte[] ahead = {};

    private int length;
    private long position;
    private ByteBuffer content = ByteBuffer.allocate(0);
    private long frameAt;
    private boolean decrypted;
    private boolean complete;
    private boolean ended;
    private long cut;

    /**
     * @param cipher null if the frames are not encrypted
     * @param position in the file of the first frame
     */
    CaptureFrames(InputStream in, String name, @Nullable FileCipher cipher, long position) {
        this.in = in;
        this.name = name;
        this.cipher = cipher;
        this.position = position;
    }

    /** Returns where in the file the frame begins whose content was read last. */
    long frameAt() {
        return frameAt;
    }

    /** Returns whether the table of the frames was the last thing read. */
    boolean isComplete() {
        return complete;
    }

    /** Returns how many bytes at the end are no whole frame; known at the end. */
    long cut() {
        return cut;
    }

    /** Reads the next frame, or finds the end. */
    void advance() throws IOException {
        frameAt = position;
        FileCipher own = cipher;
        byte[] frame = own == null ? plain() : decrypted(own);
        if (frame == null) {
            ended = true;
            return;
        }
        int magic = frame.length < SKIPPABLE_HEADER
                ? 0
                : ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt();
        complete = magic == SeekTable.MAGIC;
        if (complete) {
            if (!sizes.isOf(Arrays.copyOfRange(frame, SKIPPABLE_HEADER, frame.length))) {
                throw damaged("the table there does not list the frames before it: some are missing, or it is damaged");
            }
            sizes.clear();
        } else if (magic == MAGIC) {
            content = ByteBuffer.wrap(content(frame));
            sizes.add(frame.length, content.capacity());
        } else {
            throw damaged("no frame of a capture begins there");
        }
    }

    private IOException damaged(String what) {
        return Damage.of(name, frameAt, what);
    }

    private byte @Nullable [] plain() throws IOException {
        while (true) {
            int size = length == 0 ? SHORT : size(0);
            if (size > 0) {
                return take(size);
            }
            if (size != SHORT || length > MOST) {
                throw damaged("it is no frame");
            }
            if (!readAhead()) {
                return rest();
            }
        }
    }

    /** Returns the size of the frame there, {@link #SHORT} if more bytes may be of it, or {@link #NONE}. */
    private int size(int at) {
        try {
            return (int) Zstd.findFrameCompressedSize(ahead, at, length - at);
        } catch (ZstdException e) {
            return Math.abs(e.getErrorCode()) == Zstd.errSrcSizeWrong() ? SHORT : NONE;
        }
    }

    private byte @Nullable [] rest() throws IOException {
        if (isFollowed()) {
            throw damaged("a size in it is wrong: more frames follow where it should be");
        }
        cut = length;
        return null;
    }

    private byte[] take(int size) {
        byte[] frame = Arrays.copyOf(ahead, size);
        length -= size;
        position += size;
        System.arraycopy(ahead, size, ahead, 0, length);
        return frame;
    }

    private boolean readAhead() throws IOException {
        if (ahead.length - length < CHUNK) {
            ahead = Arrays.copyOf(ahead, Math.max(ahead.length * 2, 2 * CHUNK));
        }
        int n = in.read(ahead, length, ahead.length - length);
        length += Math.max(n, 0);
        return n >= 0;
    }

    /**
     * Returns whether what seems to be a frame's first part has a whole frame in it, or the file's table at its end: a
     * file that was cut off has neither.
     */
    private boolean isFollowed() {
        ByteBuffer numbers = ByteBuffer.wrap(ahead).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 1; at + SKIPPABLE_HEADER <= length; at++) {
            int magic = numbers.getInt(at);
            boolean table =
                    magic == SeekTable.MAGIC && numbers.getInt(at + Integer.BYTES) == length - at - SKIPPABLE_HEADER;
            if (table || magic == MAGIC && isWhole(at)) {
                return true;
            }
        }
        return false;
    }

    private boolean isWhole(int at) {
        int size = size(at);
        return size > 0 && decompressed(Arrays.copyOfRange(ahead, at, at + size)) != null;
    }

    private byte @Nullable [] decrypted(FileCipher own) throws IOException {
        byte[] header = in.readNBytes(HEADER);
        if (header.length < HEADER) {
            cut = header.length;
            return null;
        }
        ByteBuffer numbers = ByteBuffer.wrap(header);
        int size = numbers.getInt();
        if (numbers.getInt() != ~size || size <= 0 || size > MOST) {
            throw damaged("its length is none");
        }
        byte[] encrypted = in.readNBytes(size);
        if (encrypted.length < size) {
            cut = (long) HEADER + encrypted.length;
            return null;
        }
        position += HEADER + size;
        try {
            byte[] frame = own.decrypt(encrypted);
            decrypted = true;
            return frame;
        } catch (GeneralSecurityException e) {
            throw decrypted
                    ? damaged("it was changed, or a frame before it is missing")
                    : new IOException(
                            name + " cannot be decrypted, at byte " + frameAt
                                    + ": it was captured with another secret, or was changed",
                            e);
        }
    }

    private byte[] content(byte[] frame) throws IOException {
        int descriptor = frame[Integer.BYTES];
        if ((descriptor & SIZE_FLAGS) == 0) {
            throw damaged("the size of its content is none");
        }
        if ((descriptor & CHECKSUM_FLAG) == 0) {
            throw damaged("it has no checksum");
        }
        byte[] plain = decompressed(frame);
        if (plain == null) {
            throw damaged("it cannot be decompressed, or its checksum is wrong");
        }
        return plain;
    }

    /** Returns the content of a frame, or null if it is damaged. Takes no room because the frame says so. */
    private static byte @Nullable [] decompressed(byte[] frame) {
        try (ZstdInputStreamNoFinalizer zstd = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(frame))) {
            byte[] plain = zstd.readNBytes(MOST + 1);
            return plain.length > MOST ? null : plain;
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        while (!content.hasRemaining() && !ended) {
            advance();
        }
        int n = Math.min(count, content.remaining());
        content.get(bytes, offset, n);
        return n == 0 && count > 0 ? -1 : n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
