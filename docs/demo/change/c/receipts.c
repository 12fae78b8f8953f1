#include "receipts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct receipt *receipt_new(const char *buyer, long cents)
{
    struct receipt *receipt = malloc(sizeof *receipt);

    if (receipt == NULL)
        return NULL;
    receipt->buyer = strdup(buyer);
    if (receipt->buyer == NULL) {
        free(receipt);
        return NULL;
    }
    receipt->cents = cents;
    return receipt;
}

void receipt_free(struct receipt *receipt)
{
    if (receipt == NULL)
        return;
    free(receipt->buyer);
    free(receipt);
}

/* The number of receipts in a file, one a line; -1 where it cannot be read. */
int receipts_count(const char *path)
{
    char line[256];
    int count = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '\0' || line[0] == '#')
            return -1;
        count++;
    }
    fclose(file);
    return count;
}

/* Reads one "cents buyer" a line; -1 where the file cannot be read or is not of that form. */
int receipts_read(struct receipts *into, const char *path)
{
    char buyer[128];
    long cents;
    size_t room = 16;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return -1;
    into->count = 0;
    into->all = calloc(room, sizeof *into->all);
    if (into->all == NULL)
        return -1;
    while (into->count < room && fscanf(file, "%ld %127s", &cents, buyer) == 2) {
        into->all[into->count].cents = cents;
        into->all[into->count].buyer = strdup(buyer);
        into->count++;
    }
    fclose(file);
    return 0;
}

/* A copy of what is in a file, ending in a zero byte: the caller frees it. */
char *receipts_text(const char *path, size_t size)
{
    char *text = malloc(size + 1);
    FILE *file = fopen(path, "r");

    if (text == NULL || file == NULL) {
        if (file != NULL)
            fclose(file);
        return NULL;
    }
    text[fread(text, 1, size, file)] = '\0';
    fclose(file);
    return text;
}

/* "shop, month": the caller frees it. */
char *receipts_title(const char *shop, const char *month)
{
    size_t size = strlen(shop) + strlen(month) + 3;
    char *title = malloc(size);

    if (title == NULL)
        return NULL;
    if (snprintf(title, size, "%s, %s", shop, month) < 0) {
        free(title);
        return NULL;
    }
    return title;
}
