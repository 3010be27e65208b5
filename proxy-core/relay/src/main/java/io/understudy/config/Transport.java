package io.understudy.config;

import java.util.Locale;

/** Kernel interface for network I/O. */
public enum Transport {
    /** io_uring if it can be opened, else epoll, else NIO. */
    AUTO,
    IO_URING,
    EPOLL,
    NIO;

    /** Spelt as in the kernel's documentation. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
