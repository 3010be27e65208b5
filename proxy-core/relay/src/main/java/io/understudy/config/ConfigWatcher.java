package io.understudy.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects changed file contents by periodic checks: a directory watch misses a swapped symbolic link, by which
 * Kubernetes updates a mounted file. Reports only which file changed; the callback loads it. A file that is absent for
 * a moment, as with some editors, has not changed before the second check that misses it; one that was missed and is
 * back has, whatever its content: what was refused for want of it can be loaded. A change is reported when its file has
 * had no other for one interval.
 */
public final class ConfigWatcher implements AutoCloseable {

    /** Default interval between checks. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(2);

    /** A file system that counts whole seconds can change a file twice under one timestamp. */
    private static final Duration COARSE_TIMESTAMP = Duration.ofSeconds(3);

    /** More than any file of a configuration has: a wrong one must not be read for minutes, under the lock. */
    private static final long HASHED_BYTES = 16 << 20;

    /** The check that reports a missing file. */
    private static final int TOLD = 2;

    private static final Logger LOG = LoggerFactory.getLogger(ConfigWatcher.class);

    /** Size and timestamp save reading the file; the hash decides. */
    private record Seen(
            long size, Instant modified, @Nullable Object fileKey, Instant hashedAt, String hash) {

        boolean sameStamp(BasicFileAttributes now) {
            return size == now.size()
                    && modified.equals(now.lastModifiedTime().toInstant())
                    && Objects.equals(fileKey, now.fileKey())
                    && modified.plus(COARSE_TIMESTAMP).isBefore(hashedAt);
        }
    }

    private final Supplier<? extends Collection<Path>> files;
    private final ScheduledExecutorService scheduler;
    private final Clock clock;
    private final Duration interval;
    private final Consumer<Path> onChange;
    private final Map<Path, Seen> seen = new HashMap<>();
    /** The number of checks that have missed a file. */
    private final Map<Path, Integer> missing = new HashMap<>();

    private @Nullable ScheduledFuture<?> task;

    /**
     * Creates a watcher, which does nothing until it is started.
     *
     * @param files called at every check, so that a reload can change the list; see {@link LoadedConfig#files()}
     * @param scheduler runs the checks and the callback; not closed with the watcher
     * @param clock the time of day of the machine that holds the files
     * @param onChange receives each changed file once per change; an exception is logged
     */
    public ConfigWatcher(
            Supplier<? extends Collection<Path>> files,
            ScheduledExecutorService scheduler,
            Clock clock,
            Duration interval,
            Consumer<Path> onChange) {
        this.files = files;
        this.scheduler = scheduler;
        this.clock = clock;
        this.interval = interval;
        this.onChange = onChange;
    }

    /** Records the current contents and starts the checks. */
    public synchronized void start() {
        if (task != null) {
            throw new IllegalStateException("already started");
        }
        note();
        task = scheduler.scheduleWithFixedDelay(
                this::check, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public synchronized void close() {
        if (task != null) {
            task.cancel(false);
        }
    }

    /**
     * Takes note of the files as they are, and reports nothing: called before the caller reads them for a reason of its
     * own. A change from now on is one.
     */
    public synchronized void note() {
        files.get().forEach(this::changed);
        missing.replaceAll((file, checks) -> Math.max(checks, TOLD)); // the caller misses it, too
    }

    /** Checks for changes now, and reports them before it returns. */
    public synchronized void check() {
        // A periodic task that throws would silently never run again.
        try {
            Collection<Path> current = files.get();
            seen.keySet().retainAll(current);
            missing.keySet().retainAll(current);
            for (Path file : current) {
                if (settled(file) && changed(file)) {
                    onChange.accept(file);
                }
            }
        } catch (RuntimeException | LinkageError e) {
            LOG.error("Reacting to a changed configuration file failed; the running configuration stays", e);
        }
    }

    /** Returns false if the file may still be written to: half of a file can be a valid one, without its plugins. */
    private boolean settled(Path file) {
        try {
            Duration age = Duration.between(Files.getLastModifiedTime(file).toInstant(), clock.instant());
            return age.isNegative() || age.compareTo(interval) >= 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Returns whether the content differs from the last check, the file is there again, or was missed twice. */
    private boolean changed(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            if (!now.isRegularFile()) {
                throw new IOException("no regular file"); // to open a pipe waits for its writer
            }
            Seen before = seen.get(file);
            if (before != null && before.sameStamp(now) && !missing.containsKey(file)) {
                return false;
            }
            String hash = hash(file);
            seen.put(
                    file,
                    new Seen(now.size(), now.lastModifiedTime().toInstant(), now.fileKey(), clock.instant(), hash));
            boolean appeared = missing.remove(file) != null;
            if (appeared) {
                LOG.info("{} is there {}", file, before == null ? "now" : "again");
            }
            return appeared
                    || before != null
                            && (before.size() != now.size() || !before.hash().equals(hash));
        } catch (IOException e) {
            int checks = missing.merge(file, 1, Integer::sum);
            if (checks == 1) {
                LOG.warn(
                        "{} cannot be read ({}); the running configuration stays until it is back", file, e.toString());
            }
            return checks == TOLD;
        }
    }

    private static String hash(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] part = new byte[1 << 16];
            try (InputStream in = Files.newInputStream(file)) {
                int read = 0;
                for (long left = HASHED_BYTES; left > 0 && read >= 0; left -= read) {
                    read = in.read(part);
                    digest.update(part, 0, Math.max(0, read));
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
