package io.understudy.plugins.blackbox.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of a segment, never encrypted.
 *
 * @param synced whether each flush waits for the disk
 * @param id random, and part of each record's checksum: clients cannot write bytes that look like a record
 * @param salt of the key; null if the segment is not encrypted
 * @param check tells whether a key is the right one
 */
record SegmentHeader(long number, boolean synced, byte[] id, byte @Nullable [] salt, byte @Nullable [] check) {
    static final int LENGTH = 72;
    private static final byte[] MAGIC = "USTYLOG\n".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int SYNCED = 1;
    private static final int ENCRYPTED = 2;
    private static final int ID = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    static byte[] random() {
        byte[] random = new byte[ID];
        RANDOM.nextBytes(random);
        return random;
    }

    ByteBuffer bytes() {
        ByteBuffer out = ByteBuffer.allocate(LENGTH).put(MAGIC).putInt(VERSION);
        out.putInt((synced ? SYNCED : 0) | (salt != null ? ENCRYPTED : 0))
                .putLong(number)
                .put(id);
        if (salt != null && check != null) {
            out.put(salt).put(check);
        }
        return out.putInt(LENGTH - Integer.BYTES, sum(out.array())).clear();
    }

    private static int sum(byte[] header) {
        CRC32C sum = new CRC32C();
        sum.update(header, 0, LENGTH - Integer.BYTES);
        return (int) sum.getValue();
    }

    /**
     * Returns the header in a file's first bytes, or null if they are none.
     *
     * @throws LogException if a newer version wrote it
     */
    static @Nullable SegmentHeader read(Path file, byte[] bytes) throws LogException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (!Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                || in.getInt(LENGTH - Integer.BYTES) != sum(bytes)) {
            return null;
        }
        int version = in.position(MAGIC.length).getInt();
        if (version != VERSION) {
            throw LogException.unusable(file + " has version " + version + " of the format, and this program reads "
                    + VERSION + ": use the version of Understudy that wrote it, or move the directory away to begin"
                    + " anew, which leaves out of reports what is in it");
        }
        int flags = in.getInt();
        long number = in.getLong();
        byte[] id = new byte[ID];
        in.get(id);
        if ((flags & ENCRYPTED) == 0) {
            return new SegmentHeader(number, (flags & SYNCED) != 0, id, null, null);
        }
        byte[] salt = new byte[LogCipher.SALT];
        byte[] check = new byte[LogCipher.CHECK];
        in.get(salt).get(check);
        return new SegmentHeader(number, (flags & SYNCED) != 0, id, salt, check);
    }

    /**
     * Returns what decrypts the segment, or null if it is not encrypted.
     *
     * @throws LogException if the key is missing or another one
     */
    @Nullable
    LogCipher cipher(Path file, LogCipher.Keys keys) throws LogException {
        if (salt == null) {
            return null;
        }
        if (!keys.present() || !Arrays.equals(check, keys.check(salt))) {
            throw LogException.unusable(file + (keys.present() ? " is encrypted with another key" : " is encrypted")
                    + ": give the key that it was written with (plugins.black-box.key; a command takes --key-file),"
                    + " or move the directory away to begin anew, which leaves out of reports what is in it");
        }
        return keys.cipher(salt, id);
    }
}
