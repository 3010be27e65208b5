package io.understudy.demo;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counters of the sample load. Thread-safe; never reset. */
public final class LoadCounters {

    /** The part of the application that a statement belongs to. */
    public enum Kind {
        POINT_SELECT,
        PREPARED_SELECT,
        RANGE_SELECT,
        JOIN,
        TRANSACTION,
        INSERT,
        ALTER,
        ARCHIVE
    }

    /**
     * One line of a summary.
     *
     * @param statements executed, with or without success
     * @param errors of these, those that failed
     * @param meanMicros mean time of a statement until its last row was read
     */
    public record Line(Kind kind, long statements, long errors, long meanMicros) {}

    private static final class Cell {
        final LongAdder statements = new LongAdder();
        final LongAdder errors = new LongAdder();
        final LongAdder nanos = new LongAdder();
    }

    private final Map<Kind, Cell> cells = new EnumMap<>(Kind.class);
    private final LongAdder connectErrors = new LongAdder();
    private final AtomicReference<@Nullable String> lastError = new AtomicReference<>();

    LoadCounters() {
        for (Kind kind : Kind.values()) {
            cells.put(kind, new Cell());
        }
    }

    void executed(Kind kind, long nanos) {
        Cell cell = cell(kind);
        cell.statements.increment();
        cell.nanos.add(nanos);
    }

    void failed(Kind kind, String message) {
        cell(kind).errors.increment();
        lastError.set(kind + ": " + message);
    }

    void connectFailed(String message) {
        connectErrors.increment();
        lastError.set("connect: " + message);
    }

    public long statements() {
        return cells.values().stream().mapToLong(cell -> cell.statements.sum()).sum();
    }

    public long statements(Kind kind) {
        return cell(kind).statements.sum();
    }

    /** Failed statements and failed attempts to connect. */
    public long errors() {
        return connectErrors.sum()
                + cells.values().stream().mapToLong(cell -> cell.errors.sum()).sum();
    }

    /** The newest error's text, or null if there was none. */
    public @Nullable String lastError() {
        return lastError.get();
    }

    /** One line for each kind that was used. */
    public List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        cells.forEach((kind, cell) -> {
            long statements = cell.statements.sum();
            if (statements > 0) {
                lines.add(new Line(kind, statements, cell.errors.sum(), cell.nanos.sum() / statements / 1000));
            }
        });
        return lines;
    }

    private Cell cell(Kind kind) {
        return Objects.requireNonNull(cells.get(kind));
    }
}
