package io.understudy.config;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
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
 * Notices that files have other content than before, by looking every now and then: a directory watch misses a swapped
 * symbolic link, which is how Kubernetes updates a mounted file. Says only which file; loading is the callback's business.
 * A file that is gone for a moment, as editors do it, is no change; one that comes back with the same content is none either.
 */
public final class ConfigWatcher implements AutoCloseable {

    /** How often to look unless told otherwise. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(2);

    /** File systems that count whole seconds can change a file twice under one time stamp. */
    private static final Duration COARSE_TIMESTAMP = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(ConfigWatcher.class);

    /** Size and time stamp are a hint that saves reading; the hash decides. */
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
    private final Map<Path, Boolean> missing = new HashMap<>();
    private @Nullable ScheduledFuture<?> task;

    /**
     * Makes a watcher that does nothing until it is started.
     *
     * @param files asked at every look, so that a reload can bring other files; see {@link LoadedConfig#files()}
     * @param scheduler where the looks and the callback run; not closed with the watcher
     * @param clock the time of day of the machine whose files these are
     * @param onChange gets the file that changed, once for each change; what it throws is logged
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

    /** Remembers the files as they are now, and starts looking. */
    public synchronized void start() {
        if (task != null) {
            throw new IllegalStateException("already started");
        }
        for (Path file : files.get()) {
            changed(file);
        }
        task = scheduler.scheduleWithFixedDelay(
                this::look, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public synchronized void close() {
        if (task != null) {
            task.cancel(false);
        }
    }

    private synchronized void look() {
        // A task that throws is never run again, and nobody would notice.
        try {
            Collection<Path> current = files.get();
            seen.keySet().retainAll(current);
            for (Path file : current) {
                if (changed(file)) {
                    onChange.accept(file);
                }
            }
        } catch (RuntimeException e) {
            LOG.error("Reacting to a changed configuration file failed; the running configuration stays", e);
        }
    }

    /** Whether the content differs from what was last seen; a file never seen before has not changed. */
    private boolean changed(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            Seen before = seen.get(file);
            if (before != null && before.sameStamp(now)) {
                return false;
            }
            String hash = hash(file);
            seen.put(
                    file,
                    new Seen(now.size(), now.lastModifiedTime().toInstant(), now.fileKey(), clock.instant(), hash));
            if (missing.remove(file) != null) {
                LOG.info("{} is there again", file);
            }
            return before != null && !before.hash().equals(hash);
        } catch (IOException e) {
            if (missing.put(file, true) == null) {
                LOG.warn(
                        "{} cannot be read ({}); the running configuration stays until it is back", file, e.toString());
            }
            return false;
        }
    }

    private static String hash(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
