package io.understudy.plugins.blackbox.outcome;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Judges by the texts with which MariaDB annotates rows, where the log does not tell the thread: before 11.5 with
 * row-based logging. A text that others may have written is no evidence.
 */
public final class AnnotatedTexts {
    private static final long PRIME = 0x100000001B3L;

    private AnnotatedTexts() {}

    /**
     * Returns a hash of a text as the server keeps it: without white space in front, without that and semicolons
     * behind.
     */
    public static long hash(String text) {
        int end = text.length();
        while (end > 0 && (text.charAt(end - 1) == ';' || text.charAt(end - 1) <= ' ')) {
            end--;
        }
        int at = 0;
        while (at < end && text.charAt(at) <= ' ') {
            at++;
        }
        long hash = 0xCBF29CE484222325L;
        for (byte each : text.substring(at, end).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xFF)) * PRIME;
        }
        return hash ^ (hash >>> 29);
    }

    /**
     * Returns whether the transaction may hold these statements: all that it holds are among them, in their order. Some
     * may have changed no rows, and are not in the log.
     *
     * @param texts null if they are not known
     */
    public static boolean mayBe(Trace transaction, long @org.jspecify.annotations.Nullable [] texts) {
        long[] logged = transaction.texts();
        if (logged == null || texts == null) {
            return true;
        }
        int found = 0;
        for (int i = 0; i < texts.length && found < logged.length; i++) {
            found += texts[i] == logged[found] ? 1 : 0;
        }
        return found == logged.length;
    }

    /**
     * @param unanswered transactions of unknown threads that the server has written since the statement was sent
     * @param contended whether others may have written one
     * @param foreign whether writers beside this proxy have written of late
     */
    static Judgement judge(
            UnansweredStatement lost,
            List<Trace> unanswered,
            PrimaryLook look,
            Predicate<Trace> contended,
            boolean foreign) {
        List<Trace> possible = new ArrayList<>();
        for (Trace each : unanswered) {
            if (mayBe(each, lost.texts())) {
                possible.add(each);
            }
        }
        if (possible.isEmpty()) {
            return Judgement.notCommitted();
        }
        Trace one = possible.get(0);
        String why = "the binary log does not tell the connection, and " + one.gtid();
        if (lost.texts() == null || one.texts() == null || lost.effect() == UnansweredStatement.Effect.SEVERAL) {
            return Judgement.open(why + " may be it");
        }
        if (possible.size() > 1 || contended.test(one)) {
            return Judgement.open(why + " may be it or that of another session with the same text");
        }
        if (foreign && lost.token() == null) {
            return Judgement.unknown(why + " may be it, or of a writer beside this proxy with the same text");
        }
        return look.has().contains(one.source(), one.number())
                ? Judgement.committed(one, lost.kind().equals("commit"))
                : Judgement.open("its transaction " + one.gtid()
                        + " is in the old primary's log, and the primary lacks it: understudy rescue applies it");
    }
}
