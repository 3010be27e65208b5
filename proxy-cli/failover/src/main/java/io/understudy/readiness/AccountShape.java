package io.understudy.readiness;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** An account as the grant tables have it, without values that always differ between servers, such as times. */
final class AccountShape {
    private final Map<String, String> authentication = new TreeMap<>();
    private final Set<String> privileges = new TreeSet<>();

    /** Adds a property of the login: password hash, plugin, lock, TLS requirement. Never shown. */
    void authentication(String key, String value) {
        authentication.put(key, value);
    }

    void privilege(String line) {
        privileges.add(line);
    }

    /**
     * Returns whether a client of this account, on the primary, is refused something by the other, on the standby. What
     * the other has in addition refuses nothing.
     */
    boolean isRefusedBy(AccountShape other) {
        Set<String> keys = new TreeSet<>(authentication.keySet());
        keys.addAll(other.authentication.keySet());
        return !other.privileges.containsAll(privileges)
                || keys.stream()
                        .anyMatch(key -> isStricter(
                                key, authentication.getOrDefault(key, ""), other.authentication.getOrDefault(key, "")));
    }

    private static boolean isStricter(String key, String here, String there) {
        if (here.equals(there)) {
            return false;
        }
        return switch (key) {
            case "account_locked", "password_expired" -> there.equals("true") || there.equals("Y");
            case "max_questions", "max_updates", "max_connections", "max_user_connections", "max_statement_time" ->
                limit(there) < limit(here);
            default -> true;
        };
    }

    /** 0 and a missing value stand for no limit; a negative one lets nobody in. */
    private static double limit(String value) {
        double number = value.isEmpty() ? 0 : Double.parseDouble(value);
        return number == 0 ? Double.MAX_VALUE : number;
    }

    boolean hasMoreThan(AccountShape other) {
        return !other.privileges.containsAll(privileges);
    }

    /** Returns what differs, in words, or an empty text. Names no hash. */
    String difference(AccountShape other) {
        boolean login = !authentication.equals(other.authentication);
        boolean grants = !privileges.equals(other.privileges);
        if (login && grants) {
            return "its password or login settings and its privileges";
        }
        return login ? "its password or login settings" : grants ? "its privileges" : "";
    }
}
