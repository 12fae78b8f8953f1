#ifndef RECEIPTS_H
#define RECEIPTS_H

#include <stddef.h>

struct receipt {
    char *buyer;
    long cents;
};

struct receipts {
    struct receipt *all;
    size_t count;
};

struct receipt *receipt_new(const char *buyer, long cents);
void receipt_free(struct receipt *receipt);

int receipts_read(struct receipts *into, const char *path);
int receipts_count(const char *path);
char *receipts_title(const char *shop, const char *month);

#endif
