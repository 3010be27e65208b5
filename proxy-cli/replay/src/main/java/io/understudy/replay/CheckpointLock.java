package io.understudy.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a checkpoint for one replay, from before it is read until the replay is over: what another replay has played
 * meanwhile would be played again. The lock is on a file beside the checkpoint, because each new checkpoint is another
 * file. That file stays: two replays could hold locks on a deleted one and its successor.
 */
public final class CheckpointLock implements AutoCloseable {
    private final Path checkpoint;
    private final FileChannel held;

    private CheckpointLock(Path checkpoint, FileChannel held) {
        this.checkpoint = checkpoint;
        this.held = held;
    }

    /**
     * Takes the checkpoint, which need not exist.
     *
     * @throws IOException also when another replay has it
     */
    public static CheckpointLock take(Path checkpoint) throws IOException {
        Path file = checkpoint.resolveSibling(checkpoint.getFileName() + ".lock");
        FileChannel channel = open(checkpoint, file);
        try {
            if (lock(channel) == null) {
                throw new IOException(checkpoint + " is being written by another replay" + holder(file));
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
            return new CheckpointLock(checkpoint, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel open(Path checkpoint, Path file) throws IOException {
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException(
                    "the checkpoint " + checkpoint + " cannot be written: no " + file.getFileName() + " beside it (" + e
                            + ")",
                    e);
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this process
        }
    }

    private static String holder(Path file) {
        try {
            String pid = Files.readString(file, StandardCharsets.US_ASCII).strip();
            return pid.isEmpty() ? "" : ", process " + pid;
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the checkpoint that is held. */
    Path checkpoint() {
        return checkpoint;
    }

    @Override
    public void close() throws IOException {
        held.close();
    }
}
