package io.understudy.connection.auth;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The supported methods by their protocol names. */
public final class AuthMethods {
    private static final Map<String, Function<AuthContext, AuthMethod>> KNOWN = new TreeMap<>(Map.of(
            NativePassword.NAME, NativePassword::new,
            CachingSha2Password.NAME, CachingSha2Password::new,
            Sha256Password.NAME, Sha256Password::new,
            ClearPassword.NAME, ClearPassword::new,
            Ed25519Password.NAME, Ed25519Password::new));

    private AuthMethods() {}

    /**
     * Returns the method that a server asks for.
     *
     * @throws AuthException if it is not supported
     */
    public static AuthMethod of(String name, AuthContext context) throws AuthException {
        Function<AuthContext, AuthMethod> method = KNOWN.get(name);
        if (method == null) {
            throw new AuthException("the account uses the authentication plugin '" + name
                    + "', which Understudy does not know; give it one of " + String.join(", ", KNOWN.keySet())
                    + ", for example with ALTER USER");
        }
        return method.apply(context);
    }

    /**
     * Returns the method for a server's HandshakeV10: the one it names if that may be started unasked, else one that
     * every server knows and can switch from once it knows the user.
     */
    public static AuthMethod first(String offered, AuthContext context) {
        return CachingSha2Password.NAME.equals(offered) && context.secret() instanceof LoginSecret.Password
                ? new CachingSha2Password(context)
                : new NativePassword(context);
    }
}
