package io.understudy.replay.log;

import io.understudy.base.RecentlyUsed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the general logs of MySQL and MariaDB. They tell when a statement began, not how long it took or whether it
 * failed. A statement ends where a line begins like an entry; inside quotes such a line is part of the statement. A
 * statement whose quotes are never closed is refused.
 */
final class GeneralLogReader extends LogReader {
    private static final Pattern USE = Pattern.compile("(?i)\\s*use\\s+`?([^`;]+?)`?\\s*;?\\s*");
    /** The time where it has changed, the session's number, and the command's first letter. */
    private static final Pattern HEAD = Pattern.compile("(?:[0-9:.TZ+ -]{14,40})?\t+ *[0-9]+ [A-Z]");

    private static final int LONGEST_HEAD = 100;
    private static final int MAX_SESSIONS = 100_000;
    private static final int MAX_OPEN = 1 << 20;
    private static final int MAX_TEXT = 64 << 20;

    /** The values of a session according to the log so far. */
    private record Session(String user, @Nullable String schema) {}

    private final LogTimes times;
    private final QuoteState quotes = new QuoteState(true);
    private final Map<Long, Session> sessions = new RecentlyUsed<>(MAX_SESSIONS);
    private long lastTime = LogEvent.UNKNOWN;

    GeneralLogReader(LineBuffer in, ZoneId zone) {
        super(in);
        this.times = new LogTimes(zone);
    }

    /** Returns whether the first entry is that of a general log. Consumes nothing. */
    static boolean begins(LineBuffer in) throws IOException {
        int relative = 0;
        for (int lines = 0; lines < 16; lines++) {
            if (!in.has(in.mark + relative, 1)) {
                return false;
            }
            int end = in.end(in.mark + relative);
            int from = in.mark + relative;
            if (in.bytes[from] == '#') {
                return false;
            }
            if (commandAt(in, from, end) > 0) {
                return true;
            }
            relative = end + 1 - in.mark;
        }
        return false;
    }

    /** Returns the offset of the command's name in an entry's first line, or -1. */
    private static int commandAt(LineBuffer in, int from, int end) {
        Matcher head = HEAD.matcher(
                new String(in.bytes, from, Math.min(end - from, LONGEST_HEAD), StandardCharsets.ISO_8859_1));
        return head.lookingAt() ? from + head.end() - 1 : -1;
    }

    @Override
    @Nullable
    LogEvent read() throws IOException {
        long line = in.line();
        int end = in.end(in.at);
        int from = in.at;
        int name = commandAt(in, from, end);
        if (name < 0) {
            boolean header = in.contains(from, end, ", Version: ");
            if (header) {
                counts.rotation();
            } else if (!in.startsWith(from, end, "Tcp port: ") && !in.startsWith(from, end, "Time") && from < end) {
                counts.refuse("no_header");
            }
            in.consume(Math.min(end + 1, in.limit()));
            return null;
        }
        if (in.bytes[from] != '\t') {
            lastTime = times.read(in.bytes, from, in.end0(from), false);
        }
        int tab = name;
        while (tab < end && in.bytes[tab] != '\t') {
            tab++;
        }
        String command = new String(in.bytes, name, tab - name, StandardCharsets.ISO_8859_1);
        long id = LogTimes.whole(in.bytes, digits(from), name);
        int text = Math.min(tab + 1, end) - in.mark;
        boolean statement = command.equals("Query") || command.equals("Execute");
        int textEnd = statement || command.equals("Prepare") ? statementEnd(text) : end(end);
        if (textEnd < 0) {
            return null;
        }
        byte[] argument = Arrays.copyOfRange(in.bytes, in.mark + text, in.mark + textEnd);
        return event(command, id, argument, line);
    }

    private int digits(int from) {
        int p = from;
        while (in.bytes[p] != '\t') {
            p++;
        }
        while (in.bytes[p] == '\t' || in.bytes[p] == ' ') {
            p++;
        }
        return p;
    }

    private int end(int lineEnd) {
        int relative = lineEnd - in.mark;
        in.consume(Math.min(lineEnd + 1, in.limit()));
        return relative;
    }

    /** Returns the end of the text, relative to the mark, or -1 when it is refused. */
    private int statementEnd(int text) throws IOException {
        quotes.reset();
        int readFrom = text;
        int firstInside = -1;
        long firstInsideLine = 0;
        int forged = 0;
        while (true) {
            int end = in.end(in.at);
            int past = Math.min(end + 1, in.limit());
            quotes.read(in.bytes, in.mark + readFrom, past);
            int relative = end - in.mark;
            in.consume(past);
            readFrom = in.at - in.mark;
            boolean over = in.isOver();
            int next = over ? 0 : in.end(in.at);
            boolean entry = !over && (commandAt(in, in.at, next) > 0 || in.contains(in.at, next, ", Version: "));
            if ((over || entry) && quotes.isClosed()) {
                for (int i = 0; i < forged; i++) {
                    counts.refuse("forged");
                }
                return relative;
            }
            if (entry) {
                forged++;
                if (firstInside < 0) {
                    firstInside = in.at - in.mark;
                    firstInsideLine = in.line();
                }
            }
            if (firstInside >= 0 && (over || readFrom - firstInside > MAX_OPEN)) {
                counts.refuse("unbalanced");
                in.rewind(in.mark + firstInside, firstInsideLine);
                return -1;
            }
            if (over || readFrom > MAX_TEXT) {
                counts.refuse(over ? "unbalanced" : "too_long");
                return -1;
            }
        }
    }

    private @Nullable LogEvent event(String command, long id, byte[] argument, long line) {
        Session session = sessions.getOrDefault(id, new Session("", null));
        switch (command) {
            case "Connect" -> {
                session = connected(new String(argument, StandardCharsets.UTF_8));
                sessions.put(id, session);
                return made(LogEvent.Kind.CONNECT, id, session, new byte[0], line);
            }
            case "Init DB" -> {
                sessions.put(id, new Session(session.user(), new String(argument, StandardCharsets.UTF_8)));
                return null;
            }
            case "Query", "Execute" -> {
                Matcher use =
                        USE.matcher(new String(argument, 0, Math.min(argument.length, 200), StandardCharsets.UTF_8));
                if (use.matches()) {
                    sessions.put(id, new Session(session.user(), use.group(1)));
                }
                return made(LogEvent.Kind.STATEMENT, id, session, argument, line);
            }
            case "Quit" -> {
                sessions.remove(id);
                return made(LogEvent.Kind.QUIT, id, session, new byte[0], line);
            }
            default -> {
                return null; // Prepare, Close stmt, Statistics, …
            }
        }
    }

    private LogEvent made(LogEvent.Kind kind, long id, Session session, byte[] text, long line) {
        return new LogEvent(kind, id, session.user(), session.schema(), text, lastTime, LogEvent.UNKNOWN, line);
    }

    /** {@code app@localhost on shop using TCP/IP}; MariaDB has {@code as anonymous on}. */
    private static Session connected(String text) {
        int at = text.lastIndexOf('@');
        int on = text.indexOf(" on ", Math.max(0, at));
        int using = text.lastIndexOf(" using ");
        String schema = on < 0
                ? ""
                : text.substring(on + 4, using > on ? using : text.length()).strip();
        return new Session(at < 0 ? "" : text.substring(0, at), schema.isEmpty() ? null : schema);
    }
}
