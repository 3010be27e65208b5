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
