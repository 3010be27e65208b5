package io.understudy.config;

import java.util.Locale;

/** Which of the kernel's interfaces moves the bytes. */
public enum Transport {
    /** io_uring where it can be opened, else epoll, else NIO. */
    AUTO,
    IO_URING,
    EPOLL,
    NIO;

    /** As the kernel's documentation spells it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
