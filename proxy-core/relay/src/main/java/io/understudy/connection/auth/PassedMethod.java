package io.understudy.connection.auth;

/**
 * A method that the proxy cannot use, responded to with nothing: MariaDB then goes on with the account's next method
 * ({@code IDENTIFIED VIA … OR …}), or refuses the login.
 *
 * @param why what the proxy lacks
 */
public record PassedMethod(String name, AuthException why) implements AuthMethod {
    @Override
    public byte[] begin() {
        return new byte[0];
    }
}
