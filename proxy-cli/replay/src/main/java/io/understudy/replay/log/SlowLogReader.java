package io.understudy.replay.log;

import java.io.IOException;
import java.time.ZoneId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the slow logs of MySQL, Percona Server and MariaDB, and the proxy's own stream.
 *
 * <p>Servers write a statement as the client sent it, so a literal may hold what looks like the next event. A statement
 * ends at a {@code ;} before a line break only outside quotes and comments. Where quotes are never closed, as in a
 * statement that its server refused, the statement is refused and reading goes on at the next event.
 */
final class SlowLogReader extends LogReader {
    private static final int MAX_TEXT = 64 << 20;
    /** A statement with open quotes is followed that far beyond what looks like the next event. */
    private static final int MAX_OPEN = 1 << 20;

    private final SlowLogHeader header;
    private final QuoteState escaping = new QuoteState(true);
    private final QuoteState literal = new QuoteState(false);
    private boolean junk;

    SlowLogReader(LineBuffer in, ZoneId zone) {
        super(in);
        header = new SlowLogHeader(in, zone, counts);
    }

    @Override
    @Nullable
    LogEvent read() throws IOException {
        header.begin();
        LogEvent event = event();
        junk &= event == null;
        return event;
    }

    private @Nullable LogEvent event() throws IOException {
        while (!in.isOver()) {
            int end = in.end(in.at);
            int from = in.at;
            byte[] bytes = in.bytes;
            int stop = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
            boolean complete = header.isComplete();
            if (from == stop) {
                consumeLine(end);
            } else if (bytes[from] == '#') {
                if (complete && in.startsWith(from, stop, "# administrator command: ")) {
                    LogEvent event = command(from, stop);
                    consumeLine(end);
                    return event;
                }
                if (complete && header.beginsAnother(from, stop)) {
                    counts.refuse("no_statement");
                    header.begin();
                }
                header.keys(from, stop);
                consumeLine(end);
            } else if (complete && header.takesSetting(from, stop)) {
                consumeLine(end);
            } else if (!complete && header.isServerHeader(from, stop)) {
                if (in.contains(from, stop, "ersion")) {
                    counts.rotation();
                    header.forgetSchema();
                }
                consumeLine(end);
                header.begin();
            } else if (complete) {
                return statement();
            } else {
                if (!junk) {
                    counts.refuse("no_header");
                    junk = true;
                }
                consumeLine(end);
                return null;
            }
        }
        if (header.hasBegun()) {
            counts.refuse("truncated");
        }
        return null;
    }

    private void consumeLine(int end) {
        in.consume(Math.min(end + 1, in.limit()));
    }

    private LogEvent command(int from, int end) {
        int start = from + "# administrator command: ".length();
        boolean quit = in.startsWith(start, end, "Quit");
        return header.event(quit ? LogEvent.Kind.QUIT : LogEvent.Kind.ADMIN, new byte[0]);
    }

    /** Reads a statement, whose first line is the next one. */
    private @Nullable LogEvent statement() throws IOException {
        int start = in.at - in.mark;
        long headersInside = 0;
        boolean ambiguous = false;
        boolean forked = false;
        int firstInside = -1;
        long firstInsideLine = 0;
        escaping.reset();
        while (true) {
            int end = in.end(in.at);
            int from = in.at;
            byte[] bytes = in.bytes;
            boolean lineBreak = end < in.limit();
            int past = lineBreak ? end + 1 : end;
            int p = forked ? from : escaping.readUntilBackslash(bytes, from, past);
            if (p < past) {
                if (!forked) {
                    forked = true;
                    literal.copy(escaping);
                }
                escaping.read(bytes, p, past);
                literal.read(bytes, p, past);
            }
            int stop = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
            boolean semicolon = stop > from && bytes[stop - 1] == ';';
            consumeLine(end);
            if (semicolon) {
                int textEnd = stop - 1 - in.mark;
                boolean closed = escaping.isClosed();
                boolean boundary = closed && header.isOwn() || nextBeginsEvent();
                if (boundary && closed) {
                    return ended(start, textEnd, headersInside, ambiguous);
                }
                if (boundary && !in.isOver()) {
                    headersInside++;
                    ambiguous |= forked && literal.isClosed();
                    if (firstInside < 0) {
                        firstInside = in.at - in.mark;
                        firstInsideLine = in.line();
                    }
                }
            }
            boolean over = in.isOver();
            boolean tooFar = firstInside >= 0 && in.at - in.mark - firstInside > MAX_OPEN;
            if ((over || tooFar) && firstInside >= 0) {
                // The quotes are the statement's fault: go on where the next event begins.
                counts.refuse("unbalanced");
                in.rewind(in.mark + firstInside, firstInsideLine);
                return null;
            }
            if (over || in.at - in.mark > MAX_TEXT) {
                counts.refuse(over ? "truncated" : "too_long");
                return null;
            }
        }
    }

    private @Nullable LogEvent ended(int start, int textEnd, long headersInside, boolean ambiguous) {
        if (ambiguous) {
            counts.refuse("ambiguous");
            return null;
        }
        for (long i = 0; i < headersInside; i++) {
            counts.refuse("forged");
        }
        byte[] text = Arrays.copyOfRange(in.bytes, in.mark + start, in.mark + textEnd);
        return header.event(LogEvent.Kind.STATEMENT, text);
    }

    /** Returns whether the next line begins an event, or the log ends. */
    private boolean nextBeginsEvent() throws IOException {
        if (in.isOver()) {
            return true;
        }
        byte first = in.bytes[in.at];
        if (first != '#' && first != '/' && first != 'm' && !(first >= 'A' && first <= 'Z')) {
            return false;
        }
        int end = in.end(in.at);
        return header.beginsEvent(in.at, end);
    }
}
