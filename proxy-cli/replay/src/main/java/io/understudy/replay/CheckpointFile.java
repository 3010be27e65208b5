package io.understudy.replay;

import io.understudy.replay.log.LogEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a replay's {@link Checkpoint}: a line at each statement that is sent or answered, before anything follows from
 * it, so a kill loses none; and once a second a new file without the lines that are obsolete. Thread-safe.
 */
public final class CheckpointFile implements ReplayProgress, AutoCloseable {
    private static final long INTERVAL_SECONDS = 1;

    /** A session's state; all positions. */
    private static final class Session {
        /** The first whose event was not answered. */
        long from;

        long lastHanded;
        /** The position at which its open transaction began, or 0. */
        long transaction;
        /** The statement that was sent and not answered, or 0. */
        long inFlight;
        /** The position at which it ended in the log, or 0. */
        long quit;
        /** The statement whose connection ended before its response, or 0. */
        long lost;
        /** From the checkpoint that is resumed: it may have events that were not read again yet. */
        boolean carried;

        boolean isBusy() {
            return lastHanded >= from && lastHanded != lost;
        }

        /** Whether a checkpoint says something of it that is not true of each session. */
        boolean isOpen() {
            return lastHanded >= from || carried || transaction != 0;
        }
    }

    private final Path file;
    private final Checkpoint.Subject of;
    /** Whether there was no checkpoint before. */
    private final boolean fresh;

    private final CountDownLatch over = new CountDownLatch(1);
    private final Map<Long, Session> sessions = new HashMap<>();
    private volatile Consumer<String> onFailure = reason -> {};
    /** Of the reading thread. */
    private final EventHash hash = new EventHash();

    private long position;
    private long read;
    private long readHash;
    private @Nullable FileChannel channel;

    private CheckpointFile(Path file, Checkpoint.Subject of, @Nullable Resume resumed) {
        this.file = file;
        this.of = of;
        this.fresh = resumed == null;
        if (resumed != null) {
            read = resumed.read();
            readHash = resumed.hash();
            resumed.sessions().forEach((id, from) -> {
                Session session = new Session();
                session.from = from;
                session.carried = true;
                sessions.put(id, session);
            });
        }
    }

    /**
     * Begins to write.
     *
     * @param lock on the checkpoint, held until this is closed
     * @param resumed what an earlier replay has done, or null
     * @throws IOException also when there is a checkpoint that is not resumed
     */
    public static CheckpointFile begin(CheckpointLock lock, String log, ReplayOptions options, @Nullable Resume resumed)
            throws IOException {
        Path file = lock.checkpoint();
        if (resumed == null && Files.exists(file)) {
            throw new IOException(file + " exists: --resume continues its replay; delete it to begin anew");
        }
        CheckpointFile made = new CheckpointFile(file, Checkpoint.Subject.of(log, options), resumed);
        made.rewrite();
        Thread thread = new Thread(made::run, "replay-checkpoint");
        thread.setDaemon(true);
        thread.start();
        return made;
    }

    /** Sets who is told, with the reason, when the file cannot be written any more. */
    public void onFailure(Consumer<String> listener) {
        onFailure = listener;
    }

    private void run() {
        try {
            while (!over.await(INTERVAL_SECONDS, TimeUnit.SECONDS)) {
                rewrite();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            failed(e);
        }
    }

    private void failed(IOException e) {
        onFailure.accept("the checkpoint " + file + " cannot be written: " + e.getMessage());
    }

    /** Writes the present state to a new file in the old one's place. */
    private synchronized void rewrite() throws IOException {
        FileChannel before = channel;
        if (before != null && !before.isOpen()) {
            return;
        }
        StringBuilder text = new StringBuilder(Checkpoint.FIRST_LINE).append('\n');
        text.append(of.line()).append('\n');
        text.append("read ")
                .append(read)
                .append(' ')
                .append(Long.toHexString(readHash))
                .append('\n');
        sessions.forEach((id, session) -> {
            if (session.isOpen()) {
                text.append("o ").append(id).append(' ').append(session.from);
                text.append(' ')
                        .append(session.transaction)
                        .append(' ')
                        .append(session.inFlight)
                        .append('\n');
            }
        });
        Path next = file.resolveSibling(file.getFileName() + ".next");
        FileChannel open = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        try {
            write(open, text.toString());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            open.close();
            throw e;
        }
        channel = open;
        if (before != null) {
            before.close();
        }
    }

    private static void write(FileChannel to, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    private void line(char what, long id, long at) {
        FileChannel open = channel;
        if (open == null || !open.isOpen()) {
            return;
        }
        try {
            write(open, what + " " + id + " " + at + "\n");
        } catch (IOException e) {
            failed(e);
        }
    }

    @Override
    public long read(LogEvent event) {
        hash.add(event);
        return ++position;
    }

    @Override
    public synchronized void handed(long id, long at) {
        Session session = sessions.computeIfAbsent(id, key -> {
            Session made = new Session();
            made.from = at;
            return made;
        });
        if (!session.isBusy()) {
            session.from = at;
            session.inFlight = 0;
        }
        session.lastHanded = at;
        boolean first = read == 0;
        if (at > read) {
            read = at;
            readHash = hash.value();
        }
        if (first) {
            // From now on the file tells its log from others.
            try {
                rewrite();
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    @Override
    public synchronized void sent(long id, long at) {
        Session session = sessions.get(id);
        if (session != null) {
            session.from = at;
            session.inFlight = at;
            line('s', id, at);
        }
    }

    @Override
    public synchronized void answered(long id, long at, boolean inTransaction) {
        Session session = sessions.get(id);
        if (session != null) {
            session.from = at + 1;
            session.inFlight = 0;
            session.transaction = !inTransaction ? 0 : session.transaction == 0 ? at : session.transaction;
            line(inTransaction ? 't' : 'd', id, at);
            endIfOver(id, session);
            if (!session.isOpen()) {
                sessions.remove(id); // nothing to say of it, and logs may have millions
            }
        }
    }

    @Override
    public synchronized void passedOver(long id, long at) {
        Session session = sessions.get(id);
        answered(id, at, session != null && session.transaction != 0);
    }

    @Override
    public synchronized void lost(long id, long at) {
        Session session = sessions.get(id);
        if (session != null) {
            session.from = at;
            session.transaction = 0;
            session.inFlight = at;
            session.lost = at;
            line('l', id, at);
        }
    }

    @Override
    public synchronized void quit(long id, long at) {
        Session session = sessions.get(id);
        // An earlier session with the same number ends where a resumed replay reads what was played.
        if (session != null && at >= session.from) {
            session.quit = at;
            endIfOver(id, session);
        }
    }

    private void endIfOver(long id, Session session) {
        if (session.quit != 0 && !session.isBusy()) {
            sessions.remove(id);
            line('q', id, session.quit);
        }
    }

    @Override
    public synchronized boolean isBusy(long id) {
        Session session = sessions.get(id);
        return session != null && session.isBusy();
    }

    @Override
    public synchronized void caughtUp() {
        sessions.values().removeIf(session -> {
            session.carried = false;
            return !session.isOpen();
        });
    }

    /** Returns the number of sessions that are known. */
    synchronized int known() {
        return sessions.size();
    }

    /** Returns the number of statements that were sent and not answered. */
    public synchronized long inFlight() {
        return sessions.values().stream()
                .filter(session -> session.inFlight != 0)
                .count();
    }

    /** Writes the state for the last time, to the disk; who listens for failures is told of one. Idempotent. */
    @Override
    public void close() {
        over.countDown();
        synchronized (this) {
            FileChannel before = channel;
            if (before == null || !before.isOpen()) {
                return;
            }
            try {
                if (fresh && read == 0) {
                    before.close();
                    Files.deleteIfExists(file); // nothing was played: the same command may be given again
                    return;
                }
                rewrite();
                FileChannel last = channel;
                if (last != null) {
                    last.force(true);
                    last.close();
                }
            } catch (IOException e) {
                failed(e); // the lines that were written stay, and are enough to go on from
                closeQuietly(before);
            }
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // The failure that led here has been told.
        }
    }
}
