package io.understudy.plugins.blackbox.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file that was cut anywhere, or in which any byte is another one: never a wrong transaction, never another order,
 * and nothing is left out without a word.
 */
class DamagedLogTest extends LogHarness {
    private final List<String> written = new ArrayList<>();
    private Path file = Path.of("");
    private byte[] whole = {};
    private LogCipher.Keys keys = new LogCipher.Keys(null);

    /** @param killed whether zeros follow what was written: the process has not closed the file */
    private void write(boolean encrypted, boolean killed) throws IOException {
        key = encrypted ? KEY : null;
        keys = new LogCipher.Keys(key);
        try (TransactionLog log = open(new Lines())) {
            log.start(at("0-1-10"), false);
            written.add("start 0-1-10");
            for (int number = 11; number <= 14; number++) {
                String events = "events of " + number + "\0\0";
                append(log, number, events);
                written.add("0-1-" + number + " " + events);
                log.missed("0-1-" + number + "1", false);
                written.add("missed 0-1-" + number + "1");
                log.flush();
            }
            file = files().get(0);
            whole = Files.readAllBytes(file);
            if (killed) {
                whole = Arrays.copyOf(whole, end() + 100);
            }
        }
        whole = killed ? whole : Files.readAllBytes(file);
    }

    private int end() {
        return end(whole);
    }

    private static int end(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private Set<Integer> ends() {
        Set<Integer> ends = new HashSet<>();
        byte[] id = Arrays.copyOfRange(whole, 24, 40);
        for (int at = SegmentHeader.LENGTH; at < end(); ) {
            at += (int) Objects.requireNonNull(RecordFrame.read(id, whole, at)).total();
            ends.add(at);
        }
        return ends;
    }

    private Lines read(byte[] content) throws IOException {
        Files.write(file, content);
        Lines lines = new Lines();
        SegmentReader.read(file, keys, new HashMap<>(), false, lines);
        return lines;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false"})
    void aCutEndIsSaidAndWhatPrecedesItIsWhole(boolean encrypted, boolean killed) throws IOException {
        write(encrypted, killed);
        int before = 0;
        Set<Integer> ends = ends();
        for (int cut = 0; cut <= end(); cut++) {
            byte[] content = Arrays.copyOf(Arrays.copyOf(whole, cut), killed ? whole.length : cut);
            Lines lines = read(content);
            assertThat(lines.all).isEqualTo(written.subList(0, lines.all.size()));
            if (lines.all.size() > before) {
                before = lines.all.size();
                assertThat(lines.damage).isEmpty(); // whole up to here
            }
            assertThat(lines.damage).allMatch(each -> each.kind() == LogDamage.Kind.UNFINISHED);
            int behind = end(content);
            boolean record = ends.contains(behind) || ends.contains(behind + 1) || behind <= SegmentHeader.LENGTH;
            assertThat(lines.damage).as("cut at %d", cut).hasSize(record ? 0 : 1);
        }
        assertThat(before).isEqualTo(written.size());
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aFlippedByteIsSaidAndOnlyItsRecordIsLost(boolean encrypted, boolean killed) throws IOException {
        write(encrypted, killed);
        // The header says nothing of the end; each other salt in it costs a derivation of the key.
        for (int at = killed ? SegmentHeader.LENGTH : 0; at < whole.length; at++) {
            int bits = new int[] {1, 0x80, 0xFF}[at % 3];
            byte[] content = whole.clone();
            content[at] ^= (byte) bits;
            Lines lines = read(content);
            assertThat(inOrder(withoutMissed(lines.all))).isTrue();
            boolean allThere = lines.all.containsAll(written);
            assertThat(allThere || lines.damage.stream().anyMatch(LogDamage::mayLack))
                    .as("%d flipped at %d: %s %s", bits, at, lines.all, lines.damage)
                    .isTrue();
            if (lines.all.contains("start 0-1-10")) {
                assertThat(lines.all.size()).isGreaterThanOrEqualTo(written.size() - 1);
            }
        }
    }

    private boolean inOrder(List<String> found) {
        int next = 0;
        for (String each : written) {
            next += next < found.size() && found.get(next).equals(each) ? 1 : 0;
        }
        return next == found.size();
    }

    /** Drops the lines that say more than the GTID of a transaction whose format is lost. */
    private static List<String> withoutMissed(List<String> all) {
        return all.stream()
                .filter(each -> !each.startsWith("missed") || each.length() == "missed 0-1-111".length())
                .toList();
    }

    /** The process was killed between the creation of a file and its first flush, or the file's header is damaged. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 500})
    void aFileWithoutAHeaderDoesNotStandInTheWayOfTheNext(int bytes) throws IOException {
        write(false, false);
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) 7);
        Files.write(LogFiles.file(directory, 2), content);
        try (TransactionLog log = open(new Lines())) {
            log.start(at("0-1-14"), false);
            append(log, 15, "events");
            log.flush();
        }
        assertThat(reopened().all).contains("0-1-15 events");
    }

    /** An earlier version wrote files of any size. */
    @Test
    void aFileThatIsLargerThanAnArrayIsRefusedWithTheRemedyAndTheFolderIsFreeAgain() throws IOException {
        write(false, false);
        Path large = LogFiles.file(directory, 2);
        try (FileChannel channel = FileChannel.open(large, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(whole));
            channel.write(ByteBuffer.wrap(new byte[1]), Integer.MAX_VALUE); // sparse: it takes no room
        }
        assertThatThrownBy(() -> open(new Lines()))
                .isInstanceOfSatisfying(
                        LogException.class, e -> assertThat(e.reason()).isEqualTo(LogException.Reason.UNUSABLE))
                .hasMessageContaining("move the file away");
        Files.delete(large);
        assertThat(reopened().all).containsAll(written);
    }

    /** What is thrown need not be an exception: the memory may be exhausted. */
    @Test
    void anErrorLeavesTheFolderFree() throws IOException {
        write(false, false);
        assertThatThrownBy(() -> open(new Lines() {
                    @Override
                    public void start(LogStart start) {
                        throw new OutOfMemoryError("heap");
                    }
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(reopened().all).containsAll(written);
    }

    /** The end is cut once, and said once. */
    @Test
    void anUnfinishedEndIsCutWhenTheLogIsOpened() throws IOException {
        write(false, true);
        Files.write(file, Arrays.copyOf(whole, end() - 5));
        assertThat(reopened().damage).singleElement().asString().contains("that was not acknowledged");
        assertThat(reopened().damage).isEmpty();
    }
}
