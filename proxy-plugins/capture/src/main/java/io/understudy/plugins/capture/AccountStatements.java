package io.understudy.plugins.capture;

import io.understudy.plugin.CommandView;
import io.understudy.sql.StatementKind;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Recognises statements about accounts and passwords, which no capture holds. */
final class AccountStatements {
    private static final Pattern ACCOUNT =
            Pattern.compile("^(create|alter|drop|rename)( or replace)?( if (not )?exists)? (user|role|server)\\b"
                    + "|^set (session |global |local )?(password|role|default role)\\b");

    private AccountStatements() {}

    static boolean is(CommandView command) {
        StatementKind kind = command.kind();
        return switch (kind) {
            case GRANT, CHANGE -> true;
            case CREATE, ALTER, DROP, RENAME, SET -> matches(command.normalizedText());
            default -> false;
        };
    }

    private static boolean matches(@Nullable String text) {
        return text == null || ACCOUNT.matcher(text.toLowerCase(Locale.ROOT)).find();
    }
}
