package io.understudy.replay.log;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** The lines ahead of a statement in a slow log: who, where and when. Keeps what holds for later events too. */
final class SlowLogHeader {
    /** Earlier times are those of sessions that set their own. */
    private static final long PLAUSIBLE_MICROS = 946_684_800L * 1_000_000;

    private final LineBuffer in;
    private final LogTimes times;
    private final LogCounts counts;

    private @Nullable String lastSchema;
    private long lastTime = LogEvent.UNKNOWN;
    private boolean lastTimeZoned;

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

    SlowLogHeader(LineBuffer in, ZoneId zone, LogCounts counts) {
        this.in = in;
        this.times = new LogTimes(zone);
        this.counts = counts;
    }

    /** Forgets the event before; the next one begins at the buffer's line. */
    void begin() {
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

    /** Returns whether a line with the user has been read. */
    boolean hasBegun() {
        return hasUser;
    }

    /** Returns whether enough has been read for a statement to follow. */
    boolean isComplete() {
        return hasUser && queryTime != LogEvent.UNKNOWN;
    }

    /** Returns whether the event was written by the proxy's own stream, in which a semicolon ends every statement. */
    boolean isOwn() {
        return own;
    }

    /** Called when the server has started anew. */
    void forgetSchema() {
        lastSchema = null;
    }

    /** Returns whether a comment line is the first of another event. */
    boolean beginsAnother(int from, int end) {
        return isTime(from, end) || isUser(from, end);
    }

    /** Reads a line that precedes the statement's text: one USE and one SET. Returns whether the line is one. */
    boolean takesSetting(int from, int end) {
        if (!gotUse && isUse(from, end)) {
            use(from + 4, end - 1);
            return true;
        }
        if (!gotSet && isSet(from, end)) {
            set(from + 4, end - 1);
            return true;
        }
        return false;
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

    boolean isServerHeader(int from, int end) {
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
    boolean beginsEvent(int from, int end) {
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

    /** Reads a comment line. */
    void keys(int from, int end) {
        String line = string(from, end);
        if (isTime(from, end)) {
            timeAt = from - in.mark;
            time = times.read(in.bytes, from + "# Time: ".length(), end, false);
            timeZoned = times.zoned();
            int user = line.indexOf("# User@Host: ", 1);
            if (user > 0) {
                user(line.substring(user)); // both on one line in old versions
            }
            return;
        }
        if (isUser(from, end)) {
            user(line);
            return;
        }
        String[] words = line.split(" +");
        for (int i = 0; i < words.length; i++) {
            if (words[i].endsWith(":")) {
                String key = words[i];
                // Without a value, as of no schema, the next key follows.
                boolean given = i + 1 < words.length && !words[i + 1].endsWith(":");
                key(key, given ? words[++i] : "");
            }
        }
    }

    private void key(String key, String value) {
        byte[] text = value.getBytes(StandardCharsets.US_ASCII);
        switch (key) {
            case "Schema:" -> {
                schemaGiven = true;
                schema = value.isEmpty() ? null : value;
            }
            case "Digest:" -> own = true;
            case "Thread_id:" -> threadId = LogTimes.whole(text, 0, text.length);
            case "Query_time:" -> queryTime = LogTimes.micros(text, 0, text.length);
            case "Dropped_events:", "Skipped_events:" -> counts.missing(LogTimes.whole(text, 0, text.length));
            default -> {
                // Not needed.
            }
        }
    }

    /** {@code # User@Host: priv[user] @ host [ip] Id: 7}. */
    private void user(String line) {
        hasUser = true;
        int open = line.indexOf('[');
        int close = open < 0 ? -1 : line.indexOf(']', open);
        if (close < 0) {
            return;
        }
        user = line.substring(open + 1, close);
        int id = line.lastIndexOf(" Id:");
        if (id >= close) {
            byte[] number = line.substring(id + " Id:".length()).strip().getBytes(StandardCharsets.US_ASCII);
            threadId = LogTimes.whole(number, 0, number.length);
        }
    }

    private String string(int from, int end) {
        return new String(in.bytes, from, end - from, StandardCharsets.UTF_8);
    }

    /** Returns the event to which these lines belong. */
    LogEvent event(LogEvent.Kind kind, byte[] text) {
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
}
