package io.understudy.replay;

import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlModes;
import java.nio.charset.StandardCharsets;

/** The settings that a capture has of a session, as a list of assignments. */
public final class CapturedSettings {
    private CapturedSettings() {}

    /**
     * Returns whether the assignments change the session and nothing else. A capture is a text file, and may come from
     * elsewhere: what it assigns must not reach other sessions of the target.
     *
     * @param assignments what stands behind {@code SET}
     */
    public static boolean areOfTheSessionAlone(String assignments) {
        byte[] set = ("SET " + assignments).getBytes(StandardCharsets.UTF_8);
        SetStatement parsed = SetStatement.parse(set, 0, set.length, SqlModes.NONE);
        return parsed != null
                && parsed.assignments().stream().allMatch(one -> one.scope() == SetStatement.Scope.SESSION);
    }
}
