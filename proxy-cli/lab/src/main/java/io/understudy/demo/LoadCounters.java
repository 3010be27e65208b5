package io.understudy.demo;

import java.util.EnumMap;
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

    private static final class Cell {
        final LongAdder statements = new LongAdder();
        final LongAdder errors = new LongAdder();
    }

    private final Map<Kind, Cell> cells = new EnumMap<>(Kind.class);
    private final LongAdder connectErrors = new LongAdder();
    private final AtomicReference<@Nullable String> lastError = new AtomicReference<>();

    LoadCounters() {
        for (Kind kind : Kind.values()) {
            cells.put(kind, new Cell());
        }
    }

    void executed(Kind kind) {
        cell(kind).statements.increment();
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

    private Cell cell(Kind kind) {
        return Objects.requireNonNull(cells.get(kind));
    }
}
