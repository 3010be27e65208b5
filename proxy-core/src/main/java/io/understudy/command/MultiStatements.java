package io.understudy.command;

import java.util.regex.Pattern;

/** A rough and cautious look at texts of several statements, which are rare. */
final class MultiStatements {
    private static final Pattern SESSION_WORDS =
            Pattern.compile("\\b(SET|USE|LOCK|TEMPORARY|CALL|PREPARE|EXECUTE)\\b", Pattern.CASE_INSENSITIVE);

    private MultiStatements() {}

    /** True when a word occurs that could change the session; also for {@code UPDATE … SET}, which is cautious enough. */
    static boolean mayTouchSession(String text) {
        return SESSION_WORDS.matcher(text).find();
    }
}
