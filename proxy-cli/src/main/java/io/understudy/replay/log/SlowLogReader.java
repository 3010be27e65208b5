package io.understudy.replay.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
final class SlowLogReader implements StatementLog {
    private static final int MAX_TEXT = 64 << 20;
    /** A statement with open quotes is followed that far beyond what looks like the next event. */
    private static final int MAX_OPEN = 1 << 20;
    /** Earlier times are those of sessions that set their own. */
    private static final long PLAUSIBLE_MICROS = 946_684_800L * 1_000_000;

    private final LineBuffer in;
    private final LogTimes times;
    private final LogCounts counts = new LogCounts();
    private final QuoteState escaping = new QuoteState(true);
    private final QuoteState literal = new QuoteState(false);

    private @Nullable String lastSchema;
    private long lastTime = LogEvent.UNKNOWN;
    private boolean lastTimeZoned;
    private boolean junk;

    private String user = "";
    private long threadId;
    private @Nullable String schema;
    private boolean schemaGiven;
    private long time;
    private boolean timeZoned;
    private int timeAt;
    private long timestamp;
    private long queryTime;
    private boolean hasUser;
    private boolean gotUse;
    private boolean gotSet;
    private boolean own;
    private long firstLine;

    SlowLogReader(LineBuffer in, ZoneId zone) {
        this.in = in;
        this.times = new LogTimes(zone);
    }

    @Override
    public LogCounts counts() {
        return counts;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    @Override
    public @Nullable LogEvent next() throws IOException {
        while (true) {
            in.release();
            begin();
            if (in.isOver()) {
                return null;
            }
            LogEvent event = event();
            if (event != null) {
                junk = false;
                counts.event();
                return event;
            }
        }
    }

    private void begin() {
        user = "";
        threadId = 0;
        schema = null;
        schemaGiven = false;
        time = LogEvent.UNKNOWN;
        timeAt = -1;
        timestamp = LogEvent.UNKNOWN;
        queryTime = LogEvent.UNKNOWN;
        hasUser = false;
        gotUse = false;
        gotSet = false;
        own = false;
        firstLine = in.line();
    }

    /** Returns the next event, or null when what is there is none. */
    private @Nullable LogEvent event() throws IOException {
        while (!in.isOver()) {
            int end = in.end(in.at);
            int from = in.at;
            byte[] bytes = in.bytes;
            int stop = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
            boolean complete = hasUser && queryTime != LogEvent.UNKNOWN;
            if (from == stop) {
                consumeLine(end);
            } else if (bytes[from] == '#') {
                if (complete && in.startsWith(from, stop, "# administrator command: ")) {
                    LogEvent event = command(from, stop);
                    consumeLine(end);
                    return event;
                }
                if (complete && (isTime(from, stop) || isUser(from, stop))) {
                    counts.refuse("no_statement");
                    begin();
                }
                keys(from, stop);
                consumeLine(end);
            } else if (complete && !gotUse && isUse(from, stop)) {
                use(from + 4, stop - 1);
                consumeLine(end);
            } else if (complete && !gotSet && isSet(from, stop)) {
                set(from + 4, stop - 1);
                consumeLine(end);
            } else if (!complete && isServerHeader(from, stop)) {
                if (in.contains(from, stop, "ersion")) {
                    counts.rotation();
                    lastSchema = null;
                }
                consumeLine(end);
                begin();
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
        if (hasUser) {
            counts.refuse("truncated");
        }
        return null;
    }

    private void consumeLine(int end) {
        in.consume(Math.min(end + 1, in.limit()));
    }

    private boolean isTime(int from, int end) {
        return in.startsWith(from, end, "# Time: ");
    }

    private boolean isUser(int from, int end) {
        return in.startsWith(from, end, "# User@Host: ");
    }

    private boolean isUse(int from, int end) {
        return in.startsWith(from, end, "use ") && in.bytes[end - 1] == ';';
    }

    private boolean isSet(int from, int end) {
        return in.bytes[end - 1] == ';'
                && (in.startsWith(from, end, "SET timestamp=")
                        || in.startsWith(from, end, "SET last_insert_id=")
                        || in.startsWith(from, end, "SET insert_id="));
    }

    private boolean isServerHeader(int from, int end) {
        byte first = in.bytes[from];
        if (first == 'T') {
            return in.startsWith(from, end, "Tcp port: ")
                    || in.startsWith(from, end, "TCP Port: ")
                    || in.startsWith(from, end, "Time") && in.contains(from, end, "Id Command");
        }
        return (first == '/' || first >= 'A' && first <= 'Z' || first == 'm')
                && in.contains(from, end, ", Version: ")
                && (in.contains(from, end, "started with:") || in.contains(from, end, "embedded library"));
    }

    /** Returns whether a line begins an event, or what stands between events. */
    private boolean beginsEvent(int from, int end) {
        return in.bytes[from] == '#'
                ? isTime(from, end)
                        || isUser(from, end)
                        || in.startsWith(from, end, "# Dropped_events: ")
                        || in.startsWith(from, end, "# Skipped_events: ")
                : isServerHeader(from, end);
    }

    private void use(int from, int end) {
        gotUse = true;
        int start = from;
        int stop = end;
        boolean quoted = stop - start >= 2 && in.bytes[start] == '`' && in.bytes[stop - 1] == '`';
        if (quoted) {
            start++;
            stop--;
        }
        String name = string(start, stop);
        schema = quoted ? name.replace("``", "`") : name;
        schemaGiven = true;
        lastSchema = schema;
    }

    private void set(int from, int end) {
        gotSet = true;
        byte[] bytes = in.bytes;
        for (int p = from; p < end; ) {
            int stop = p;
            while (stop < end && bytes[stop] != ',') {
                stop++;
            }
            if (in.startsWith(p, stop, "timestamp=")) {
                timestamp = LogTimes.micros(bytes, p + "timestamp=".length(), stop);
            }
            p = stop + 1;
        }
    }

    private void keys(int from, int end) {
        byte[] bytes = in.bytes;
        if (isTime(from, end)) {
            timeAt = from - in.mark;
            time = times.read(bytes, from + "# Time: ".length(), end, false);
            timeZoned = times.zoned();
            int user = indexOf(from, end, "# User@Host: ", 10);
            if (user > 0) {
                user(user, end); // both on one line in old versions
            }
            return;
        }
        if (isUser(from, end)) {
            user(from, end);
            return;
        }
        int p = from + 1;
        while (p < end) {
            while (p < end && bytes[p] == ' ') {
                p++;
            }
            int key = p;
            while (p < end && bytes[p] != ' ' && bytes[p] != ':') {
                p++;
            }
            if (p >= end || bytes[p] != ':') {
                p++;
                continue;
            }
            int keyEnd = p++;
            while (p < end && bytes[p] == ' ') {
                p++;
            }
            int value = p;
            while (p < end && bytes[p] != ' ') {
                p++;
            }
            if (keyEnd - key == 6 && p > value && bytes[p - 1] == ':' && in.startsWith(key, keyEnd, "Schema")) {
                // No schema: what follows is the next key.
                schemaGiven = true;
                p = value;
                continue;
            }
            key(key, keyEnd, value, p);
        }
    }

    private void key(int key, int keyEnd, int from, int end) {
        byte[] bytes = in.bytes;
        switch (keyEnd - key) {
            case 6 -> {
                if (in.startsWith(key, keyEnd, "Schema")) {
                    schemaGiven = true;
                    schema = from == end ? null : string(from, end);
                } else if (in.startsWith(key, keyEnd, "Digest")) {
                    own = true;
                }
            }
            case 9 -> {
                if (in.startsWith(key, keyEnd, "Thread_id")) {
                    threadId = LogTimes.whole(bytes, from, end);
                }
            }
            case 10 -> {
                if (in.startsWith(key, keyEnd, "Query_time")) {
                    queryTime = LogTimes.micros(bytes, from, end);
                }
            }
            case 14 -> {
                if (in.startsWith(key, keyEnd, "Dropped_events") || in.startsWith(key, keyEnd, "Skipped_events")) {
                    counts.missing(LogTimes.whole(bytes, from, end));
                }
            }
            default -> {
                // Not needed.
            }
        }
    }

    /** {@code # User@Host: priv[user] @ host [ip] Id: 7}. */
    private void user(int from, int end) {
        byte[] bytes = in.bytes;
        hasUser = true;
        int open = from;
        while (open < end && bytes[open] != '[') {
            open++;
        }
        int close = open;
        while (close < end && bytes[close] != ']') {
            close++;
        }
        if (close < end) {
            user = string(open + 1, close);
        }
        int id = lastIndexOf(close, end, " Id:");
        if (id > 0) {
            int p = id + 4;
            while (p < end && bytes[p] == ' ') {
                p++;
            }
            threadId = LogTimes.whole(bytes, p, end);
        }
    }

    private int indexOf(int from, int end, String text, int after) {
        for (int p = from + after; p <= end - text.length(); p++) {
            if (in.startsWith(p, end, text)) {
                return p;
            }
        }
        return -1;
    }

    private int lastIndexOf(int from, int end, String text) {
        for (int p = end - text.length(); p >= from; p--) {
            if (in.startsWith(p, end, text)) {
                return p;
            }
        }
        return -1;
    }

    private String string(int from, int end) {
        return new String(in.bytes, from, end - from, StandardCharsets.UTF_8);
    }

    private LogEvent command(int from, int end) {
        int start = from + "# administrator command: ".length();
        boolean quit = in.startsWith(start, end, "Quit");
        return made(quit ? LogEvent.Kind.QUIT : LogEvent.Kind.ADMIN, new byte[0]);
    }

    private LogEvent made(LogEvent.Kind kind, byte[] text) {
        return new LogEvent(
                kind, threadId, user, schemaGiven ? schema : lastSchema, text, start(), queryTime, firstLine);
    }

    private long start() {
        boolean given = timeAt >= 0;
        if (given && own) {
            time = times.read(in.bytes, in.mark + timeAt + "# Time: ".length(), in.end0(in.mark + timeAt), true);
            timeZoned = true;
        }
        if (given) {
            lastTime = time;
            lastTimeZoned = timeZoned;
        }
        // With a zone it is the end, as MySQL writes it; MariaDB writes the start, in whole seconds, when it changes.
        if (lastTimeZoned && lastTime != LogEvent.UNKNOWN) {
            return lastTime - queryTime;
        }
        if (timestamp != LogEvent.UNKNOWN && timestamp >= PLAUSIBLE_MICROS) {
            return timestamp;
        }
        return lastTime != LogEvent.UNKNOWN && lastTime >= PLAUSIBLE_MICROS ? lastTime : LogEvent.UNKNOWN;
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
                boolean boundary = closed && own || nextBeginsEvent();
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
        return made(LogEvent.Kind.STATEMENT, text);
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
        return beginsEvent(in.at, end);
    }
}
