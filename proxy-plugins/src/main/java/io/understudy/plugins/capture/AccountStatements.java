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
    /** In statements of any kind, also those that the proxy cannot parse. */
    private static final String[] SECRETS = {"identified", "password", "aes_", "encrypt", "decrypt"};

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

    /** Returns whether a word stands there that goes with passwords and keys. */
    static boolean mayHoldSecret(byte[] text) {
        for (String word : SECRETS) {
            int first = word.charAt(0);
            for (int at = 0; at <= text.length - word.length(); at++) {
                if ((text[at] | 0x20) == first && isAt(text, at, word)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isAt(byte[] text, int at, String word) {
        for (int i = 1; i < word.length(); i++) {
            int c = text[at + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
