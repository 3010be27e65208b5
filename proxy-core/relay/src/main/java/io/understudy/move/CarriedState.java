package io.understudy.move;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's state, to be given to a fresh connection of the same user.
 *
 * @param statements in UTF-8 once the first of them, SET NAMES, has run; character sets last
 * @param currentUser the account that the server has chosen, as {@code CURRENT_USER()}; null if it is not known
 * @param attributes whether a COM_QUERY of this session has query attributes before its text
 */
public record CarriedState(
        List<String> statements, @Nullable String currentUser, boolean attributes) implements Found {
    public CarriedState {
        statements = List.copyOf(statements);
    }
}
