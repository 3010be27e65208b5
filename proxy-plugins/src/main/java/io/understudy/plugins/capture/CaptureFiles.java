package io.understudy.plugins.capture;

import com.github.luben.zstd.Zstd;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
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

/**
 * The files of one capture: independent zstd frames, and at a file's end a table of their sizes in zstd's seekable
 * format. {@code zstd -d} reads a file; without its end, all whole frames. An encrypted file has a salt, then each
 * frame with its length, encrypted. Only the owner may read them. Not thread-safe.
 */
class CaptureFiles implements Closeable {
    static final String PREFIX = "capture-";
    static final String PLAIN = ".zst";
    static final String ENCRYPTED = ".zst.aes";
    static final byte[] MAGIC = "UNDERSTUDY CAPTURE 1\n".getBytes(StandardCharsets.US_ASCII);

    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int LEVEL = 1;
    private static final int SKIPPABLE = 0x184D2A5E;
    private static final int SEEKABLE = 0x8F92EAB1;
    private static final int ENTRY = 8;
    private static final int FOOTER = 9;
    private static final int MAX_ENTRIES = 1 << 20;

    private final CaptureConfig config;
    private final Path directory;
    private final String name;
    private final List<int[]> frames = new ArrayList<>();
    private int number;
    private int begun;
    private long fileBytes;
    private long bytes;
    private @Nullable OutputStream out;
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
        OutputStream open = out == null ? begin() : out;
        frames.add(new int[] {(int) size, length});
        frame(open, room, (int) size);
        if (fileBytes >= config.fileSize().bytes() || frames.size() >= MAX_ENTRIES) {
            close();
        }
    }

    private void frame(OutputStream open, byte[] frame, int size) throws IOException {
        FileCipher own = cipher;
        if (own == null) {
            put(open, frame, size);
            return;
        }
        byte[] encrypted = own.encrypt(frame, size);
        ByteBuffer whole = ByteBuffer.allocate(Integer.BYTES + encrypted.length)
                .putInt(encrypted.length)
                .put(encrypted);
        put(open, whole.array(), whole.capacity());
    }

    private void put(OutputStream open, byte[] content, int length) throws IOException {
        open.write(content, 0, length);
        bytes += length;
        fileBytes += length;
    }

    private OutputStream begin() throws IOException {
        makeRoom();
        OutputStream open = next();
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
    private OutputStream next() throws IOException {
        String suffix = config.secret() == null ? PLAIN : ENCRYPTED;
        while (true) {
            Path file = directory.resolve(String.format(Locale.ROOT, "%s-%04d%s", name, ++number, suffix));
            try {
                FileChannel channel =
                        FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
                permissions(file, "rw-------");
                begun++;
                return Channels.newOutputStream(channel);
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
            return files.filter(file -> {
                        String own = file.getFileName().toString();
                        return own.startsWith(PREFIX) && (own.endsWith(PLAIN) || own.endsWith(ENCRYPTED));
                    })
                    .sorted(Comparator.comparing(CaptureFiles::capture)
                            .thenComparing(CaptureFiles::numberOf)
                            .thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
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
        OutputStream open = out;
        if (open == null) {
            return;
        }
        out = null;
        try (open) {
            int length = frames.size() * ENTRY + FOOTER;
            ByteBuffer table = ByteBuffer.allocate(Long.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
            table.putInt(SKIPPABLE).putInt(length);
            frames.forEach(sizes -> table.putInt(sizes[0]).putInt(sizes[1]));
            table.putInt(frames.size()).put((byte) 0).putInt(SEEKABLE);
            frame(open, table.array(), table.capacity());
        } finally {
            cipher = null;
        }
    }
}
