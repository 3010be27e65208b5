package io.understudy.plugins.capture;

import com.github.luben.zstd.Zstd;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one capture: independent zstd frames, and at a file's end a table of their sizes in zstd's seekable
 * format. {@code zstd -d} reads a file; without its end, all whole frames. An encrypted file has a salt, then of each
 * frame its length, the length's complement, and its encrypted bytes. Only the owner may read them. Not thread-safe.
 */
class CaptureFiles implements Closeable {
    private static final Logger log = LoggerFactory.getLogger(CaptureFiles.class);
    static final String PREFIX = "capture-";
    static final String PLAIN = ".zst";
    static final String ENCRYPTED = ".zst.aes";
    static final byte[] MAGIC = "UNDERSTUDY CAPTURE 2\n".getBytes(StandardCharsets.US_ASCII);

    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int LEVEL = 1;
    private static final int MAX_ENTRIES = 1 << 20;

    private final CaptureConfig config;
    private final Path directory;
    private final String name;
    private final List<int[]> frames = new ArrayList<>();
    private int number;
    private int begun;
    private long fileBytes;
    private long bytes;
    private @Nullable FileChannel out;
    private @Nullable FileCipher cipher;

    /** Creates the directory, not yet a file. */
    CaptureFiles(CaptureConfig config, Instant start) throws IOException {
        this.config = config;
        directory = Path.of(config.directory());
        name = PREFIX + NAME.format(start);
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            permissions(directory, "rwx------");
        }
    }

    private static void permissions(Path path, String mode) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
        }
    }

    /** Returns the number of bytes written. */
    long bytes() {
        return bytes;
    }

    /** Returns the number of files begun. */
    int files() {
        return begun;
    }

    /** Compresses the bytes as one frame and writes it. */
    void write(byte[] plain, int length) throws IOException {
        byte[] room = new byte[(int) Zstd.compressBound(length)];
        // With a checksum: without one, half of all damaged bits yield another statement and no error.
        long size = Zstd.compressByteArray(room, 0, room.length, plain, 0, length, LEVEL, true);
        if (Zstd.isError(size)) {
            throw new IOException("zstd: " + Zstd.getErrorName(size));
        }
        FileChannel open = out == null ? begin() : out;
        long whole = fileBytes;
        try {
            frame(open, room, (int) size);
        } catch (IOException | RuntimeException | Error e) {
            cutBack(open, whole);
            if (cipher != null) {
                // No table: the failed frame has used its number, which encrypts no other bytes and which none skips.
                out = null;
                cipher = null;
                try {
                    open.close();
                } catch (IOException also) {
                    e.addSuppressed(also);
                }
            }
            throw e;
        }
        frames.add(new int[] {(int) size, length});
        if (fileBytes >= config.fileSize().bytes() || frames.size() >= MAX_ENTRIES) {
            close();
        }
    }

    /** Drops the part of a frame that was written before the disk was full. */
    private void cutBack(FileChannel open, long to) {
        try {
            open.truncate(to);
            open.position(to);
            bytes -= fileBytes - to;
            fileBytes = to;
        } catch (IOException e) {
            log.debug("the last file of the capture ends with a part of a frame", e);
        }
    }

    private void frame(FileChannel open, byte[] frame, int size) throws IOException {
        FileCipher own = cipher;
        if (own == null) {
            put(open, frame, size);
            return;
        }
        byte[] encrypted = own.encrypt(frame, size);
        ByteBuffer whole = ByteBuffer.allocate(CaptureFrames.HEADER + encrypted.length)
                .putInt(encrypted.length)
                .putInt(~encrypted.length)
                .put(encrypted);
        put(open, whole.array(), whole.capacity());
    }

    void put(FileChannel open, byte[] content, int length) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(content, 0, length);
        while (left.hasRemaining()) {
            int n = open.write(left);
            bytes += n;
            fileBytes += n;
        }
    }

    private FileChannel begin() throws IOException {
        makeRoom();
        FileChannel open = next();
        out = open;
        fileBytes = 0;
        frames.clear();
        CaptureSecret secret = config.secret();
        if (secret != null) {
            byte[] salt = new byte[FileCipher.SALT];
            new SecureRandom().nextBytes(salt);
            cipher = new FileCipher(secret, salt);
            put(open, MAGIC, MAGIC.length);
            put(open, salt, salt.length);
        }
        return open;
    }

    /** Creates a file with a name not taken by a capture, of another proxy too, that began within the same second. */
    private FileChannel next() throws IOException {
        String suffix = config.secret() == null ? PLAIN : ENCRYPTED;
        while (true) {
            Path file = directory.resolve(String.format(Locale.ROOT, "%s-%04d%s", name, ++number, suffix));
            try {
                FileChannel channel =
                        FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
                permissions(file, "rw-------");
                begun++;
                return channel;
            } catch (FileAlreadyExistsException taken) {
                // The next number.
            }
        }
    }

    /** Deletes the oldest files until the next one has room. */
    private void makeRoom() throws IOException {
        List<Path> all = list(directory);
        long total = 0;
        for (Path file : all) {
            total += Files.size(file);
        }
        for (Path oldest : all) {
            if (total + config.fileSize().bytes() <= config.totalSize().bytes()) {
                return;
            }
            total -= Files.size(oldest);
            Files.delete(oldest);
        }
    }

    /** Returns the files of all captures in a directory, the oldest first. */
    static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> isName(file.toString()))
                    .sorted(Comparator.comparing(CaptureFiles::capture)
                            .thenComparing(CaptureFiles::numberOf)
                            .thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
    }

    /** Returns whether a file has the name of one of a capture. */
    static boolean isName(String file) {
        String own = file.substring(file.lastIndexOf('/') + 1);
        return own.startsWith(PREFIX) && (own.endsWith(PLAIN) || own.endsWith(ENCRYPTED));
    }

    static boolean areOfOneCapture(Path one, Path other) {
        return capture(one).equals(capture(other));
    }

    /** Returns whether the second of two files of a capture is the one behind the first. */
    static boolean follows(Path one, Path other) {
        return numberOf(other) == numberOf(one) + 1;
    }

    /** Returns a file's name up to its number, which has more than four digits from the ten-thousandth file on. */
    private static String capture(Path file) {
        String own = file.getFileName().toString();
        int dash = own.lastIndexOf('-');
        return dash < PREFIX.length() ? own : own.substring(0, dash);
    }

    private static long numberOf(Path file) {
        String own = file.getFileName().toString();
        String digits = own.substring(own.lastIndexOf('-') + 1, own.indexOf('.'));
        return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : 0;
    }

    /** Returns whether the file system has as little space left as the capture has to leave. */
    boolean isFull() throws IOException {
        return Files.getFileStore(directory).getUsableSpace() < config.minFree().bytes();
    }

    /** Ends the present file with its table. */
    @Override
    public void close() throws IOException {
        FileChannel open = out;
        if (open == null) {
            return;
        }
        out = null;
        try (open) {
            int length = frames.size() * SeekTable.ENTRY + SeekTable.FOOTER;
            ByteBuffer table = ByteBuffer.allocate(Long.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
            table.putInt(SeekTable.MAGIC).putInt(length);
            frames.forEach(sizes -> table.putInt(sizes[0]).putInt(sizes[1]));
            table.putInt(frames.size()).put((byte) 0).putInt(SeekTable.FOOTER_MAGIC);
            frame(open, table.array(), table.capacity());
        } finally {
            cipher = null;
        }
    }
}
