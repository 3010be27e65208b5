package io.understudy.handshake.tls;

/** Thrown when certificates or keys cannot be used; the message names the files and says why. */
public final class TlsFilesException extends Exception {
    private static final long serialVersionUID = 1L;

    TlsFilesException(String files, Throwable cause) {
        super("TLS cannot use " + files + ": " + innermost(cause) + "; expected PEM, and the key as PKCS#8", cause);
    }

    /** Returns the innermost message: Netty wraps the useful one. */
    private static String innermost(Throwable cause) {
        Throwable last = cause;
        while (last.getCause() != null && last.getCause() != last) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage());
    }
}
