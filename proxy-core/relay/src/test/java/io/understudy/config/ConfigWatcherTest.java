package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.testkit.ManualClock;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigWatcherTest {

    /** Holds the one periodic task, so that the test decides when it runs. */
    private static final class ManualScheduler extends ScheduledThreadPoolExecutor {
        private final List<Runnable> tasks = new ArrayList<>();
        private long delayNanos;

        ManualScheduler() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            tasks.add(task);
            delayNanos = unit.toNanos(delay);
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }

        void run() {
            tasks.forEach(Runnable::run);
        }
    }

    @TempDir
    Path directory;

    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<Path> changes = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private Path file = Path.of("");
    private final ManualClock clock = new ManualClock(Instant.now());
    private ConfigWatcher watcher = watcher();

    private ConfigWatcher watcher() {
        return new ConfigWatcher(() -> List.copyOf(files), scheduler, clock, Duration.ofSeconds(2), changes::add);
    }

    /** One check, long enough after what the test has written. */
    private void tick() {
        clock.advance(Duration.ofSeconds(5));
        scheduler.run();
    }

    @BeforeEach
    void start() throws Exception {
        file = Files.writeString(directory.resolve("understudy.yaml"), "one");
        files.add(file);
        watcher.start();
    }

    @AfterEach
    void stop() {
        watcher.close();
        scheduler.shutdownNow();
    }

    @Test
    void startsOnceAndReadsAtTheInterval() {
        assertThat(scheduler.delayNanos).isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThatThrownBy(watcher::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void reportsEachChangeOnce() throws Exception {
        tick();
        assertThat(changes).isEmpty();
        Files.writeString(file, "three");
        tick();
        tick();
        assertThat(changes).containsExactly(file);
    }

    @Test
    void seesAChangeOfTheSameSizeUnderTheSameTimeStamp() throws Exception {
        FileTime stamp = Files.getLastModifiedTime(file);
        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, stamp);
        tick();
        assertThat(changes).containsExactly(file);
    }

    /** An old modification time is trusted: an unchanged file is not read every two seconds. */
    @Test
    void doesNotReadAFileWithAnOldUnchangedTimeStamp() throws Exception {
        FileTime stamp = Files.getLastModifiedTime(file);
        clock.set(stamp.toInstant().plusSeconds(60));
        tick();
        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, stamp);
        tick();
        assertThat(changes).isEmpty();
    }

    /** A bundle of authorities may be larger than the limit for a configuration. */
    @Test
    void seesAChangeAfterTheFirstMebibyte() throws Exception {
        byte[] bundle = new byte[3 << 20];
        Path authorities = Files.write(directory.resolve("ca.pem"), bundle);
        files.add(authorities);
        tick();
        bundle[bundle.length - 1] = 1;
        Files.write(authorities, bundle);
        tick();
        assertThat(changes).containsExactly(authorities);
    }

    @Test
    void touchingIsNoChange() throws Exception {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(100)));
        tick();
        assertThat(changes).isEmpty();
    }

    @Test
    void seesASwappedSymbolicLink() throws Exception {
        Path first = Files.createDirectory(directory.resolve("first"));
        Path second = Files.createDirectory(directory.resolve("second"));
        Files.writeString(first.resolve("config"), "aaa");
        Files.writeString(second.resolve("config"), "bbb");
        Path data = Files.createSymbolicLink(directory.resolve("data"), first);
        Path config = Files.createSymbolicLink(directory.resolve("config"), data.resolve("config"));
        files.add(config);
        tick();
        Path swap = Files.createSymbolicLink(directory.resolve("data_tmp"), second);
        Files.move(swap, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        tick();
        assertThat(changes).containsExactly(config);
    }

    @Test
    void aFileThatStaysAwayIsReportedOnceAndWhenItIsBack() throws Exception {
        Files.delete(file);
        tick();
        assertThat(changes).isEmpty();
        tick();
        tick();
        assertThat(changes).containsExactly(file);
        Files.writeString(file, "one");
        tick();
        tick();
        assertThat(changes).containsExactly(file, file);
    }

    /** What was refused for want of it can be loaded, though it is what it was. */
    @Test
    void aFileThatIsBackIsReportedWithItsOldContentToo() throws Exception {
        tick();
        Path away = directory.resolve("away");
        Files.move(file, away);
        tick();
        Files.move(away, file);
        tick();
        assertThat(changes).containsExactly(file);
        Files.delete(file);
        tick();
        Files.writeString(file, "one");
        tick();
        assertThat(changes).containsExactly(file, file);
    }

    /** A wrong file must not keep the watch, and whoever stops the process, for minutes. */
    @Test
    void ofAHugeFileTheBeginAndTheSizeCount() throws Exception {
        try (RandomAccessFile huge = new RandomAccessFile(file.toFile(), "rw")) {
            huge.setLength(1L << 34);
            tick();
            huge.setLength(1L << 35);
        }
        tick();
        tick();
        assertThat(changes).containsExactly(file, file);
    }

    @Test
    void aFileNamedByAReloadIsWatched() throws Exception {
        Path certificate = Files.writeString(directory.resolve("c.pem"), "c");
        files.add(certificate);
        tick();
        assertThat(changes).isEmpty();
        Files.writeString(certificate, "renewed");
        tick();
        assertThat(changes).containsExactly(certificate);
    }

    @Test
    void continuesAfterAFailingCallback() throws Exception {
        watcher.close();
        scheduler.tasks.clear();
        watcher = new ConfigWatcher(() -> files, scheduler, clock, ConfigWatcher.DEFAULT_INTERVAL, path -> {
            changes.add(path);
            throw new IllegalStateException("refused");
        });
        watcher.start();
        Files.writeString(file, "two");
        tick();
        Files.writeString(file, "three");
        tick();
        assertThat(changes).containsExactly(file, file);
    }

    /** What is written in pieces can be valid before its end, and would remove the plugins that are still to come. */
    @Test
    void aFileThatIsStillWrittenToIsNotReported() throws Exception {
        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, FileTime.from(clock.instant().plusSeconds(4)));
        tick();
        assertThat(changes).isEmpty();
        Files.writeString(file, "two, and more");
        Files.setLastModifiedTime(file, FileTime.from(clock.instant().plusSeconds(4)));
        tick();
        assertThat(changes).isEmpty();
        tick();
        assertThat(changes).containsExactly(file);
    }

    /** A reload by hand reads the change; the watch would repeat it, and its answer would hide what waits. */
    @Test
    void whatWasReadForAnotherReasonIsNotReported() throws Exception {
        Files.writeString(file, "two");
        watcher.note();
        tick();
        assertThat(changes).isEmpty();
        Files.writeString(file, "three");
        tick();
        assertThat(changes).containsExactly(file);
    }

    /** To open one waits for its writer, and the thread that reloads with it. */
    @Test
    void aPipeInPlaceOfTheFileIsNotOpened() throws Exception {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        tick();
        assertThat(changes).isEmpty();
        Files.delete(file);
        Files.writeString(file, "two");
        tick();
        assertThat(changes).containsExactly(file);
    }

    /** A configuration that was refused for a missing file is loaded when that is there. */
    @Test
    void aFileThatWasMissingFromTheStartIsNewWhenItAppears() throws Exception {
        Path secret = directory.resolve("secret");
        files.add(secret);
        watcher.note();
        tick();
        assertThat(changes).isEmpty();
        Files.writeString(secret, "s3same");
        tick();
        tick();
        assertThat(changes).containsExactly(secret);
    }
}
