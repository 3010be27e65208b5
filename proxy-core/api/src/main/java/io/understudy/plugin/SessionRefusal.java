package io.understudy.plugin;

/**
 * The error with which a plugin refuses a login or ends a session, see {@link SessionContext#refuse}.
 *
 * @param plugin the plugin's {@link ProxyPlugin#id}, a label in metrics
 * @param reason a short word from a bounded set, a label in metrics
 * @param code the error number that the client gets, such as 1226 for a limit and 3159 for a missing TLS
 * @param sqlState five characters
 * @param message for the client: what was refused and what to do
 */
public record SessionRefusal(String plugin, String reason, int code, String sqlState, String message) {
    /** @throws IllegalArgumentException when they do not make an ERR packet */
    public SessionRefusal {
        if (code < 1 || code > 0xFFFF) {
            throw new IllegalArgumentException("code: must be from 1 to 65535, is " + code);
        }
        if (message == null) {
            throw new IllegalArgumentException("message: is missing; say what was refused and what to do");
        }
        if (!sqlState.matches("[0-9A-Z]{5}")) {
            throw new IllegalArgumentException("sqlState: must be five digits or upper-case letters, is " + sqlState);
        }
    }
}
