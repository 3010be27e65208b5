package io.understudy.plugins.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Chunks in a file that only its owner may read, mapped when first needed. The file has no name once it is open, so a
 * process that takes over from this one can have its own, and a killed one leaves none behind.
 */
final class FileChunks implements Chunks {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Path path;
    private final FileChannel file;
    private final ArrayDeque<ByteBuffer> spare = new ArrayDeque<>();
    private long mapped;

    private FileChunks(Path path, FileChannel file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Creates the file. Another process that opens its own at the same moment has the name for an instant, so a name
     * that is taken is tried again for a while.
     *
     * @throws IOException with the remedy if the file cannot be created
     */
    static FileChunks open(Path path, long bytes) throws IOException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                FileChannel file = FileChannel.open(
                        path,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.deleteIfExists(path);
                return new FileChunks(path, file);
            } catch (FileAlreadyExistsException e) {
                if (System.nanoTime() - end >= 0) {
                    throw new IOException(
                            "black-box.file: " + path + " exists and is not the black box's: remove it or name another",
                            e);
                }
                LockSupport.parkNanos(RETRY_NANOS);
            } catch (IOException e) {
                throw new IOException("black-box.file: cannot make " + path + " (" + bytes + " bytes): " + e, e);
            }
        }
    }

    @Override
    public ByteBuffer take() {
        ByteBuffer chunk = spare.poll();
        if (chunk != null) {
            return chunk.clear();
        }
        try {
            allocate();
            chunk = file.map(FileChannel.MapMode.READ_WRITE, mapped, SIZE);
        } catch (IOException e) {
            throw new UncheckedIOException("black-box.file: " + path + " cannot grow: " + e.getMessage(), e);
        }
        mapped += SIZE;
        return chunk;
    }

    /** Has the disk hold the chunk before it is mapped: a write to a mapped page without room is a fault of the JVM. */
    private void allocate() throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(SIZE);
        while (zeros.hasRemaining()) {
            file.write(zeros, mapped + zeros.position());
        }
    }

    @Override
    public void give(ByteBuffer chunk) {
        spare.add(chunk);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("black-box.file: " + path + " cannot be closed", e);
        }
    }
}
