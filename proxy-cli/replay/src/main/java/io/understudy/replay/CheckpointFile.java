package io.understudy.replay;

import io.understudy.replay.Checkpoint.EventHash;
import io.understudy.replay.log.LogEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a replay's {@link Checkpoint} after each change, in a thread of its own: a new file takes the old one's place.
 * A statement is sent once a file has it in flight, so a kill makes none unknown. One file covers all statements that
 * waited for it. None but the last is forced to the disk: milliseconds for each statement of a session would be the end
 * of a replay at the speed of the log. After a loss of power such a file may be empty, so one that is forced once a
 * second stands beside it until the end. Thread-safe.
 */
public final class CheckpointFile implements ReplayProgress, AutoCloseable {
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

        Session(long from) {
            this.from = from;
        }

        boolean isBusy() {
            return lastHanded >= from && lastHanded != lost;
        }

        /** Whether a checkpoint says something of it that is not true of each session. */
        boolean isOpen() {
            return lastHanded >= from || carried || transaction != 0;
        }
    }

    /** A statement that waits for the file that has it in flight. */
    private record Waiting(Session session, long position, Consumer<Boolean> noted) {}

    private static final long FORCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path file;
    private final Path forced;
    private final Checkpoint.Subject of;
    /** Whether there was no checkpoint before. */
    private final boolean fresh;

    private final Thread writer = new Thread(this::run, "replay-checkpoint");
    private final Map<Long, Session> sessions = new HashMap<>();
    private volatile Consumer<String> onFailure = reason -> {};
    private List<Waiting> waiting = new ArrayList<>();
    private boolean changed;
    private boolean closed;
    /** Whether the file has what the forced one has not. Of the writer, and of who closes after its end. */
    private boolean unforced;

    private long forcedNanos;
    /** Used by the reading thread alone. */
    private final EventHash hash = new EventHash();

    private long position;
    private long read;
    private long readHash;

    private CheckpointFile(Path file, Checkpoint.Subject of, @Nullable Resume resumed) {
        this.file = file;
        this.forced = forced(file);
        this.of = of;
        this.fresh = resumed == null;
        if (resumed != null) {
            read = resumed.read();
            readHash = resumed.hash();
            resumed.sessions().forEach((id, from) -> {
                Session session = new Session(from);
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
        String json = made.present().json();
        made.force(json);
        write(json, file, false);
        made.writer.setDaemon(true);
        made.writer.start();
        return made;
    }

    /** Returns the file that has the state of a moment before, and survives a loss of power. */
    static Path forced(Path checkpoint) {
        return checkpoint.resolveSibling(checkpoint.getFileName() + ".forced");
    }

    /** Sets who is told, with the reason, when the file cannot be written any more. */
    public void onFailure(Consumer<String> listener) {
        onFailure = listener;
    }

    private void run() {
        try {
            while (awaitChange()) {
                note();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean awaitChange() throws InterruptedException {
        while (!changed && !closed) {
            long left = forcedNanos + FORCE_NANOS - System.nanoTime();
            if (unforced && left <= 0) {
                return true;
            }
            wait(unforced ? left / 1_000_000 + 1 : 0);
        }
        return !closed;
    }

    private synchronized void change() {
        changed = true;
        notifyAll();
    }

    /** Writes the present state with what waits to be sent, and lets that be sent. No fault ends the thread. */
    private void note() {
        List<Waiting> due = List.of();
        String json = null;
        boolean last = false;
        try {
            Checkpoint checkpoint;
            synchronized (this) {
                last = closed;
                due = waiting;
                waiting = new ArrayList<>();
                changed = false;
                due.forEach(each -> {
                    each.session().from = each.position();
                    each.session().inFlight = each.position();
                });
                checkpoint = present();
            }
            String state = checkpoint.json();
            write(state, file, last);
            json = state;
        } catch (Throwable e) {
            synchronized (this) {
                due.forEach(each -> each.session().inFlight = 0); // none of them is sent
            }
            failed(file, e);
        }
        for (Waiting each : due) {
            tell(each, json != null);
        }
        if (json != null) {
            unforced = true;
            forceIfDue(json, last);
        }
    }

    private void forceIfDue(String json, boolean last) {
        try {
            if (last) {
                Files.deleteIfExists(forced);
            } else if (System.nanoTime() - forcedNanos >= FORCE_NANOS) {
                force(json);
            }
        } catch (Throwable e) {
            failed(forced, e);
        }
    }

    private void force(String json) throws IOException {
        write(json, forced, true);
        forcedNanos = System.nanoTime();
        unforced = false;
    }

    private void failed(Path which, Throwable e) {
        onFailure.accept(
                "the checkpoint " + which + " cannot be written: " + (e instanceof IOException ? e.getMessage() : e));
    }

    private void tell(Waiting each, boolean noted) {
        try {
            each.noted().accept(noted);
        } catch (Throwable e) {
            onFailure.accept("a fault of the replay: " + e);
        }
    }

    /** Copies what there is to say: each event loop waits for the monitor, so the text is made without it. */
    private synchronized Checkpoint present() {
        Map<Long, Checkpoint.Session> open = new HashMap<>();
        sessions.forEach((id, session) -> {
            if (session.isOpen()) {
                open.put(id, new Checkpoint.Session(session.from, session.transaction, session.inFlight));
            }
        });
        return new Checkpoint(of, read, readHash, open);
    }

    private static void write(String json, Path to, boolean force) throws IOException {
        Path next = to.resolveSibling(to.getFileName() + ".next");
        try (FileChannel channel = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (force) {
                channel.force(true);
            }
        }
        Files.move(next, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public long read(LogEvent event) {
        hash.add(event);
        return ++position;
    }

    @Override
    public synchronized void handed(long id, long at) {
        Session session = sessions.computeIfAbsent(id, key -> new Session(at));
        if (!session.isBusy()) {
            session.from = at;
            session.inFlight = 0;
        }
        session.lastHanded = at;
        if (at > read) {
            read = at;
            readHash = hash.value();
        }
    }

    @Override
    public synchronized void sends(long id, long at, Consumer<Boolean> noted) {
        Session session = sessions.get(id);
        if (session == null || closed) {
            noted.accept(!closed);
            return;
        }
        waiting.add(new Waiting(session, at, noted));
        change();
    }

    @Override
    public synchronized void unsent(long id, long at) {
        Session session = sessions.get(id);
        if (session != null && session.inFlight == at) {
            session.inFlight = 0;
            change();
        }
    }

    @Override
    public synchronized void answered(long id, long at, boolean inTransaction) {
        Session session = sessions.get(id);
        if (session != null) {
            session.from = at + 1;
            session.inFlight = 0;
            session.transaction = !inTransaction ? 0 : session.transaction == 0 ? at : session.transaction;
            endIfOver(id, session);
            if (!session.isOpen()) {
                sessions.remove(id); // nothing to say of it, and logs may have millions
            }
            change();
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
            change();
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
            change();
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

    /** Returns the number of statements that were sent and not answered. */
    public synchronized long inFlight() {
        return sessions.values().stream()
                .filter(session -> session.inFlight != 0)
                .count();
    }

    /** Writes the state for the last time; who listens for failures is told of one. Idempotent. */
    @Override
    public void close() {
        List<Waiting> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = waiting;
            waiting = new ArrayList<>();
            notifyAll();
        }
        left.forEach(each -> tell(each, false));
        try {
            writer.join();
            if (fresh && read == 0) {
                Files.deleteIfExists(file); // nothing was played: the same command may be given again
                Files.deleteIfExists(forced);
            } else {
                note();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            onFailure.accept("the checkpoint " + file + " cannot be removed: " + e.getMessage());
        }
    }
}
