package io.understudy.move;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A session's state, to be given to a fresh connection of the same user.
 *
 * @param statements in UTF-8 once the first of them, SET NAMES, has run; character sets last
 * @param currentUser the account that the server has chosen, as {@code CURRENT_USER()}; null if it is not known
 * @param attributes whether a COM_QUERY of this session has query attributes before its text
 */
public record CarriedState(
        List<String> statements, @Nullable String currentUser, boolean attributes) {
    /** A write cannot be prepared in a session that may only read. */
    private static final Pattern READ_ONLY = Pattern.compile("SET TRANSACTION .*"
            + "|SET SESSION TRANSACTION .*READ ONLY.*"
            + "|SET SESSION (transaction|tx)_read_only = '?(ON|1)'?");

    public CarriedState {
        statements = List.copyOf(statements);
    }

    /** Returns what precedes the preparation of statements. */
    public CarriedState ahead() {
        return part(false);
    }

    /** Returns what follows the preparation of statements: all that is not {@link #ahead}. */
    public CarriedState behind() {
        return part(true);
    }

    private CarriedState part(boolean readOnly) {
        return new CarriedState(
                statements.stream()
                        .filter(sql -> READ_ONLY.matcher(sql).matches() == readOnly)
                        .toList(),
                currentUser,
                attributes);
    }
}
