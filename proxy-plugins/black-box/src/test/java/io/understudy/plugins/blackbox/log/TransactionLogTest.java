package io.understudy.plugins.blackbox.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.Secret;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What is written is read back, in the bounds of its size; who may write and read it. */
class TransactionLogTest extends LogHarness {
    @Test
    void whatWasFlushedIsReadBackInItsOrder() throws Exception {
        for (Secret each : new Secret[] {null, KEY}) {
            key = each;
            directory = Files.createDirectory(directory.resolve("d"));
            try (TransactionLog log = open(new Lines())) {
                assertThat(log.needsStart()).isTrue();
                log.start(at("0-1-10"), false);
                LogPlace place = append(log, 11, "one");
                log.missed("0-1-12", false);
                append(log, 13, "x".repeat(3 << 20));
                log.flush();
                assertThat(place.read()).isEqualTo("one".getBytes(StandardCharsets.US_ASCII));
                log.start(at("0-1-15"), false);
                append(log, 16, "three");
                log.flush();
            }
            assertThat(reopened().all)
                    .containsExactly(
                            "start 0-1-10",
                            "0-1-11 one",
                            "missed 0-1-12",
                            "0-1-13 " + "x".repeat(3 << 20),
                            "start 0-1-15",
                            "0-1-16 three");
            assertThat(Files.readString(files().get(0), StandardCharsets.ISO_8859_1)
                            .contains("three"))
                    .isEqualTo(key == null);
        }
    }

    @Test
    void whatWasNotFlushedIsNotThere() throws Exception {
        try (TransactionLog log = open(new Lines())) {
            log.start(at("0-1-10"), false);
            append(log, 11, "one");
            log.flush();
            append(log, 12, "two");
            Lines lines = new Lines();
            assertThat(LogFiles.read(directory, key, lines)).isEqualTo(" by this process");
            assertThat(lines.all).containsExactly("start 0-1-10", "0-1-11 one");
            assertThat(lines.damage).isEmpty();
        }
    }

    @Test
    void aRestartGoesOnInAnotherSegment() throws Exception {
        for (int number = 11; number <= 13; number++) {
            try (TransactionLog log = open(new Lines())) {
                log.start(at("0-1-" + (number - 1)), false);
                append(log, number, "x");
                log.flush();
            }
        }
        assertThat(files()).hasSize(3);
        assertThat(reopened().all)
                .containsExactly("start 0-1-10", "0-1-11 x", "start 0-1-11", "0-1-12 x", "start 0-1-12", "0-1-13 x");
    }

    @Test
    void segmentsThatNobodyNeedsAreDeletedButTheNewest() throws Exception {
        try (TransactionLog log = open(new Lines())) {
            List<LogPlace> places = new ArrayList<>();
            for (int number = 1; number <= 12; number++) {
                if (log.needsStart()) {
                    log.start(at("0-1-" + (number - 1)), false);
                }
                places.add(append(log, number, "x".repeat(1 << 20)));
                log.flush();
            }
            assertThat(files()).hasSize(3);
            places.get(4).release(); // the second segment still has others
            places.subList(0, 4).forEach(LogPlace::release);
            log.trim();
            assertThat(files()).hasSize(2);
            assertThat(places.get(5).read()).hasSize(1 << 20);
            places.subList(5, 12).forEach(LogPlace::release);
            log.trim();
            assertThat(files()).hasSize(1);
        }
        assertThat(reopened().all.get(0)).isEqualTo("start 0-1-8");
    }

    @Test
    void theSizeIsABoundAndTrimmingMakesRoom() throws Exception {
        List<LogPlace> places = new ArrayList<>();
        try (TransactionLog log = open(new Lines())) {
            LogException full = null;
            for (int number = 1; full == null; number++) {
                try {
                    log.reserve(1 << 20);
                    if (log.needsStart()) {
                        log.start(at("0-1-" + (number - 1)), false);
                    }
                    places.add(append(log, number, "x".repeat(1 << 20)));
                    log.flush();
                } catch (LogException e) {
                    full = e;
                }
            }
            assertThat(full.reason()).isEqualTo(LogException.Reason.SIZE_FULL);
            assertThat(full).hasMessageContaining("of at most 67108864 bytes that some standby has not applied");
            assertThat(places).hasSizeBetween(55, 64);
            long bytes = 0;
            for (Path each : files()) {
                bytes += Files.size(each);
            }
            assertThat(bytes).isLessThanOrEqualTo(SIZE).isEqualTo(log.bytes());
            places.subList(0, 8).forEach(LogPlace::release);
            log.reserve(1 << 20);
            append(log, 100, "more");
            log.flush();
        }
        Lines lines = reopened();
        assertThat(lines.places).hasSizeGreaterThan(48);
        assertThat(lines.all).last().isEqualTo("0-1-100 more");
    }

    @Test
    void oneDirectoryHasOneWriter() throws Exception {
        try (TransactionLog log = open(new Lines())) {
            assertThatThrownBy(() -> open(new Lines()))
                    .isInstanceOf(LogException.class)
                    .hasMessageContaining("is in use by this process: two proxies cannot write one directory");
            log.start(at(""), false);
            log.flush();
        }
        reopened();
    }

    @Test
    void othersMayNeitherReadNorWrite() throws Exception {
        directory = directory.resolve("new");
        try (TransactionLog log = open(new Lines())) {
            log.start(at(""), false);
            log.flush();
        }
        assertThat(Files.getPosixFilePermissions(directory)).hasSize(3);
        assertThat(Files.getPosixFilePermissions(files().get(0))).hasSize(2);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(this::reopened)
                .hasMessageContaining("may be written by others (rwxrwx---)")
                .hasMessageContaining("chmod 700 " + directory);
    }

    @Test
    void anotherKeyIsRefusedAndNothingIsChanged() throws Exception {
        key = KEY;
        try (TransactionLog log = open(new Lines())) {
            log.start(at("0-1-1"), false);
            log.flush();
        }
        byte[] before = Files.readAllBytes(files().get(0));
        key = Secret.parse("another key of fair length");
        assertThatThrownBy(this::reopened)
                .hasMessageContaining(files().get(0) + " is encrypted with another key")
                .hasMessageContaining("plugins.black-box.key");
        key = null;
        assertThatThrownBy(this::reopened).hasMessageContaining("is encrypted: give the key");
        assertThat(Files.readAllBytes(files().get(0))).isEqualTo(before);
        key = KEY;
        assertThat(reopened().all).containsExactly("start 0-1-1");
    }

    @Test
    void aNewerVersionIsRefused() throws Exception {
        byte[] header = new SegmentHeader(1, true, SegmentHeader.random(), null, null)
                .bytes()
                .array();
        header[11] = 2;
        CRC32C sum = new CRC32C();
        sum.update(header, 0, SegmentHeader.LENGTH - 4);
        ByteBuffer.wrap(header).putInt(SegmentHeader.LENGTH - 4, (int) sum.getValue());
        Files.write(LogFiles.file(directory, 1), header);
        assertThatThrownBy(this::reopened)
                .hasMessageContaining("has version 2 of the format, and this program reads 1")
                .hasMessageContaining("move the directory away");
    }
}
